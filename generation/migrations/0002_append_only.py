from django.db import migrations

from generation.append_only import protect


class Migration(migrations.Migration):
    dependencies = [("generation", "0001_initial")]

    operations = [
        protect("generation_promptversion", "generation_promptmove", "generation_draft", "generation_judgement"),
    ]
