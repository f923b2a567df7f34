from django.db import migrations

from generation.append_only import protect


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial"), ("generation", "0002_append_only")]

    operations = [protect("review_reviewevent")]
