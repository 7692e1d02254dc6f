package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A job that people wait for shows its state, what hinders it, and its result. It does not show the error,
// which is for operators.
func TestAwaitedJobIsShown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		job, err := s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1")
		must(t, err)
		path := w.tenantPath() + "/jobs/" + job.ID
		show := func() (v httpapi.Job) {
			t.Helper()
			r := w.call(admin, http.MethodGet, path, "")
			w.into(&v, r)
			if strings.Contains(r.body, "10.1.2.3") {
				t.Errorf("the answer has the error of operators: %s", r.body)
			}
			return v
		}
		if v := show(); v.State != "queued" || v.Kind != "connection.sync" || v.SubjectID != "pcn_1" || v.Progress != nil || v.Outcome != nil || v.NextAt == nil || v.FinishedAt != nil {
			t.Errorf("queued: %+v", v)
		}
		claim, err := s.Claim(bg, job.ID, "wrk_1", time.Minute)
		must(t, err)
		_, err = s.RecordProgress(bg, job.ID, claim.Gen, domain.JobProgress{Stage: "repositories", Done: 2, Total: 5})
		must(t, err)
		if v := show(); v.State != "running" || v.Progress == nil || *v.Progress != (domain.JobProgress{Stage: "repositories", Done: 2, Total: 5}) || v.NextAt != nil {
			t.Errorf("running: %+v", v)
		}
		_, err = s.RecordOutcome(bg, job.ID, claim.Gen, domain.JobOutcome{}, "The host does not answer.")
		must(t, err)
		_, err = s.RetryJob(bg, job.ID, claim.Gen, time.Hour, 8, "dial tcp 10.1.2.3:443")
		must(t, err)
		if v := show(); v.State != "queued" || v.Error != "The host does not answer." || v.Outcome != nil || v.Attempts != 1 || !v.NextAt.After(v.CreatedAt) {
			t.Errorf("a job that will be retried: %+v", v)
		}
		_, err = s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1")
		must(t, err)
		claim, err = s.Claim(bg, job.ID, "wrk_1", time.Minute)
		must(t, err)
		_, err = s.RecordOutcome(bg, job.ID, claim.Gen, domain.JobOutcome{Counts: map[string]int{"repositories": 5}, Notes: []string{"Add the webhook by hand."}}, "")
		must(t, err)
		_, err = s.FinishJob(bg, job.ID, claim.Gen)
		must(t, err)
		if v := show(); v.State != "completed" || v.Error != "" || v.Outcome == nil || v.Outcome.Counts["repositories"] != 5 || len(v.Outcome.Notes) != 1 || v.FinishedAt == nil {
			t.Errorf("completed: %+v", v)
		}
		dead, err := s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_2")
		must(t, err)
		claim, err = s.Claim(bg, dead.ID, "wrk_1", time.Minute)
		must(t, err)
		_, err = s.KillJob(bg, dead.ID, claim.Gen, "panic at 10.1.2.3")
		must(t, err)
		path = w.tenantPath() + "/jobs/" + dead.ID
		if v := show(); v.State != "failed" || !strings.Contains(v.Error, "dead letters") {
			t.Errorf("given up: %+v", v)
		}
	})
}

// A person sees neither jobs of others nor jobs that people do not wait for.
func TestOtherJobsAreAbsent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		theirs, err := s.EnqueueAwaited(bg, w.other.Tenant, domain.KindSync, "pcn_1")
		must(t, err)
		internal, err := s.EnqueueAwaited(bg, w.Tenant, domain.KindReview, w.Run.ID)
		must(t, err)
		mine, err := s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1")
		must(t, err)
		never := w.call(admin, http.MethodGet, w.tenantPath()+"/jobs/job_never", "")
		testkit.Equal(t, "an unknown one", never.status, http.StatusNotFound)
		for what, id := range map[string]string{"another tenant's": theirs.ID, "one without a waiting person": internal.ID} {
			if got := w.call(admin, http.MethodGet, w.tenantPath()+"/jobs/"+id, ""); got.status != http.StatusNotFound || got.body != never.body {
				t.Errorf("%s: %d %s", what, got.status, got.body)
			}
		}
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, w.tenantPath()+"/jobs/"+mine.ID, "").status, http.StatusForbidden)
	})
}
