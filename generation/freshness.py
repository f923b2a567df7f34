"""What a run's answer is made of, told by versions alone: cheap enough to ask before anything is built."""

from uuid import UUID

from django.db import connection

# xmin: the transaction that wrote a row as it is; another one wherever anything in the row changed.
_RUN = """
SELECT concat_ws('-', run.xmin, subcategory.xmin, institution.xmin,
  (SELECT string_agg(id || '.' || xmin, ',' ORDER BY id) FROM generation_judgement WHERE run_id = run.id),
  (SELECT string_agg(call.id || '.' || call.xmin || '.' || coalesce(injected.of, ''), ',' ORDER BY call.id)
   FROM generation_call call LEFT JOIN LATERAL (
     SELECT string_agg(id || '.' || xmin, ':' ORDER BY id) AS of FROM generation_injection WHERE call_id = call.id
   ) injected ON true
   WHERE call.run_id = run.id))
FROM generation_run run
LEFT JOIN generation_subcategory subcategory ON subcategory.id = run.subcategory_id
LEFT JOIN generation_institution institution ON institution.id = run.institution_id
WHERE run.id = %s
"""


def of_run(run_id: UUID) -> str | None:
    """Another text whenever the run, its calls, their injections or its judgements changed; None: no such run."""
    with connection.cursor() as cursor:
        cursor.execute(_RUN, [run_id])
        row = cursor.fetchone()
    return str(row[0]) if row else None
