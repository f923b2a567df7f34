from decimal import Decimal

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0016_idempotency'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='holdout_share',
            field=models.DecimalField(db_default=Decimal('0'), decimal_places=6, default=Decimal('0'), max_digits=7, verbose_name="holdout's share"),
        ),
    ]
