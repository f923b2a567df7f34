import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


# The order of the queue tells nothing of a judge that is hidden, and what lists show neither. A column that is
# computed cannot be changed: it goes, with its indexes, and comes again.
class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0012_words_of_unavailable'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='author',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='run',
            name='blind_to_judge',
            field=models.BooleanField(db_default=False, default=False, verbose_name='blind to the judge'),
        ),
        migrations.AddField(
            model_name='run',
            name='four_eyes',
            field=models.BooleanField(db_default=False, default=False, verbose_name='four eyes'),
        ),
        migrations.AddField(
            model_name='run',
            name='reviewers_disagree',
            field=models.BooleanField(db_default=False, default=False, verbose_name='reviewers disagree'),
        ),
        migrations.AddField(
            model_name='run',
            name='reviews_done',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, verbose_name='reviews done'),
        ),
        migrations.AddField(
            model_name='run',
            name='reviews_from',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='reviews_needed',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='reviews needed'),
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='run_order',
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='run_order_of',
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='run_order_of_flow',
        ),
        migrations.RemoveField(
            model_name='run',
            name='priority',
        ),
        migrations.AddField(
            model_name='run',
            name='priority',
            field=models.GeneratedField(db_persist=True, expression=models.Case(models.When(assigned=True, then=models.Value(3)), models.When(reviewers_disagree=True, then=models.Value(0)), models.When(blind_to_judge=True, then=models.Value(1)), models.When(status='needs_human_review', then=models.Value(0)), models.When(models.Q(('status', 'failed'), ('judge_outcome__in', ['failed', 'unavailable', 'needs_human_review']), models.Q(('judge_outcome__in', ['passed', 'corrected']), ('sampled', True)), _connector='OR'), then=models.Value(1)), default=models.Value(2)), output_field=models.SmallIntegerField(choices=[(0, 'escalated'), (1, 'failed by the judge, chosen from what it passed, or reviewed without knowing'), (2, 'the rest'), (3, 'assigned to somebody, and offered to nobody else')])),
        ),
        migrations.AddField(
            model_name='run',
            name='shown_status',
            field=models.GeneratedField(db_persist=True, expression=models.Case(models.When(models.Q(('blind_to_judge', True), models.Q(('status__in', ['awaiting_review', 'needs_human_review']), models.Q(('revision__gte', 1), ('status', 'failed')), _connector='OR')), then=models.Value('awaiting_review')), models.When(models.Q(('blind_to_judge', True), ('status__in', ['reviewing', 'fixing'])), then=models.Value('generating')), default=models.F('status')), output_field=models.CharField(choices=[('queued', 'queued'), ('generating', 'generating'), ('reviewing', 'being judged'), ('fixing', 'being fixed'), ('awaiting_review', 'awaiting review'), ('needs_human_review', 'needs human review'), ('failed', 'failed'), ('stopped', 'stopped'), ('approved', 'approved'), ('rejected', 'rejected')], max_length=20)),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('set_aside', False), models.Q(('status__in', ['awaiting_review', 'needs_human_review']), models.Q(('revision__gte', 1), ('status', 'failed')), _connector='OR')), fields=['priority', 'changed_at', 'id'], name='run_order'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('set_aside', False), models.Q(('status__in', ['awaiting_review', 'needs_human_review']), models.Q(('revision__gte', 1), ('status', 'failed')), _connector='OR')), fields=['subcategory', 'priority', 'changed_at', 'id'], name='run_order_of'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('set_aside', False), models.Q(('status__in', ['awaiting_review', 'needs_human_review']), models.Q(('revision__gte', 1), ('status', 'failed')), _connector='OR')), fields=['flow', 'priority', 'changed_at', 'id'], name='run_order_of_flow'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['shown_status', '-created_at', '-id'], name='run_by_shown_status'),
        ),
    ]
