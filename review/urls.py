"""The addresses of review's pages. Names are fixed; other apps' templates use them."""

from django.urls import path

from review.views import bulk, desk, exports, placing, queue, record, reviewing, run, saved_views

urlpatterns = [
    path("queue/", queue.queue, name="queue"),
    path("queue/next/", queue.queue_next, name="queue-next"),
    path("queue/bulk/", bulk.bulk, name="queue-bulk"),
    path("queue/bulk/<int:act_id>/", bulk.bulk_act, name="queue-bulk-act"),
    path("queue/views/", saved_views.saved_views, name="queue-views"),
    path("queue/views/<int:view_id>/", saved_views.saved_view, name="queue-view"),
    path("queue/ahead/", desk.queue_ahead, name="queue-ahead"),
    path("queue/undo/", reviewing.undo_last, name="queue-undo"),
    path("exports/", exports.exports, name="exports"),
    path("exports/<uuid:export_id>/file/", exports.export_file, name="export-file"),
    path("exports/<uuid:export_id>/delete/", exports.export_delete, name="export-delete"),
    path("runs/<uuid:run_id>/", run.run, name="run"),
    path("runs/<uuid:run_id>/progress/", run.run_progress, name="run-progress"),
    path("runs/<uuid:run_id>/events/", run.run_events, name="run-events"),
    path("runs/<uuid:run_id>/record.json/", record.run_json, name="run-json"),
    path("runs/<uuid:run_id>/changes/", record.run_changes, name="run-changes"),
    path("runs/<uuid:run_id>/set-aside/", placing.run_set_aside, name="run-set-aside"),
    path("runs/<uuid:run_id>/put-back/", placing.run_put_back, name="run-put-back"),
    path("runs/<uuid:run_id>/retry/", run.run_retry, name="run-retry"),
    path("runs/<uuid:run_id>/cancel/", run.run_cancel, name="run-cancel"),
    path("runs/<uuid:run_id>/review/", reviewing.run_review, name="run-review"),
    path("runs/<uuid:run_id>/form/", reviewing.run_form, name="run-form"),
    path("runs/<uuid:run_id>/claim/", reviewing.run_claim, name="run-claim"),
    path("runs/<uuid:run_id>/skip/", reviewing.run_skip, name="run-skip"),
    path("runs/<uuid:run_id>/leave/", reviewing.run_leave, name="run-leave"),
    path("runs/<uuid:run_id>/release/", reviewing.run_release, name="run-release"),
    path("runs/<uuid:run_id>/undo/", reviewing.run_undo, name="run-undo"),
    path("runs/<uuid:run_id>/leave-out/<int:event_id>/", reviewing.run_leave_out, name="run-leave-out"),
]
