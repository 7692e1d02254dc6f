package browser

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The page of a failed job marks the evidence in the log, and a long line stays within the page on a phone.
func TestThePageOfAFailedJob(t *testing.T) {
	t.Parallel()
	var id string
	o := openOffice(t, func(ctx context.Context, w storetest.World, o *office) {
		var err error
		id, _, err = o.store.AddCIAnalysis(ctx, w.Tenant, store.CIAnalysis{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID,
			Number: w.Pull.Number, HeadSHA: w.Pull.HeadSHA, Job: "build / test", Key: "job/test", Source: "job", Trigger: "failed", Facts: "[]"})
		must(t, err)
		_, err = o.store.MoveCI(ctx, w.Tenant, id, domain.CIQueued, domain.CIRunning, "")
		must(t, err)
		_, err = o.store.SetCIResult(ctx, w.Tenant, store.CIAnalysis{Record: store.Record{ID: id}, Cause: "TestHalf expects 2.", Relation: domain.CICaused,
			Suggestion: "Divide by 2.", Tool: "go test", Method: domain.CIByModel, Model: "model-x", LogLines: 900, OnBase: "passed", Notes: "[]",
			Evidence: `[{"source":"log","line":12,"text":"half_test.go:6: Half(4) = 1, want 2"},{"source":"diff","path":"half.go","line":3,"text":"return n / 3"}]`,
			Log: store.JSON([]domain.CILogLine{{LeftOut: 11}, {Line: 12, Text: "half_test.go:6: Half(4) = 1, want 2"}, {Line: 13, Text: "<b>" + strings.Repeat("x", 900)}, {LeftOut: 887}})})
		must(t, err)
		_, err = o.store.MoveCI(ctx, w.Tenant, id, domain.CIRunning, domain.CICompleted, "")
		must(t, err)
	})
	p := newTab(t)
	p.as(o.links[ada])
	p.visit("/repositories/" + o.world.Repository.ID + "/ci-analyses/" + id)
	p.until("document.querySelector('.job-log')")
	p.axe("a failed job")
	p.has("the evidence is marked once", "document.querySelectorAll('.job-log-marked').length === 1 && document.querySelector('.job-log-marked').innerText.includes('want 2')")
	p.has("the log is text", "!document.querySelector('.job-log b')")
	for _, look := range []string{"light", "dark"} {
		p.look(360, look)
		p.has("nothing is wider than a phone", "document.documentElement.scrollWidth <= 360")
		p.axe("a failed job on a phone, " + look)
		if os.Getenv("ASSAY_SHOTS") != "" {
			p.shoot("failedjob-" + look)
			p.look(1280, look)
			p.shoot("failedjob-wide-" + look)
		}
	}
	testkit.Equal(t, "at", strings.HasSuffix(p.at(), id), true)
}
