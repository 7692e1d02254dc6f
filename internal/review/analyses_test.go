package review_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// firstReview reviews a head before the one that a test is about, so that the repository is known.
func firstReview(f *reviewtest.Fixture) {
	f.T.Helper()
	f.Models.Set(reviewtest.SilentModel)
	f.Deliver(f.Event("opened", "c"))
	f.Settle()
}

// uploadResult stores an uploaded document about a head with one result.
func uploadResult(t *testing.T, f *reviewtest.Fixture, head, tool, path string, line int, message string) store.SastRun {
	t.Helper()
	var body bytes.Buffer
	_, err := fmt.Fprintf(&body, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":%q,"version":"1.0"}},"results":[{"ruleId":"R1","level":"error",
		"message":{"text":%q},"locations":[{"physicalLocation":{"artifactLocation":{"uri":%q},"region":{"startLine":%d}}}]}]}]}`, tool, message, path, line)
	testkit.OK(t, err)
	row, _, err := f.Service.Documents.AddUpload(bg, f.World.Tenant, store.SastRun{Record: store.Record{Repository: f.Runs()[0].Repository}, HeadSHA: storetest.SHA(head),
		Digest: tool + path, Analysers: `[{"name":"` + tool + `"}]`, LeftOut: "[]"}, body.Bytes())
	testkit.OK(t, err)
	return row
}

// staticRuns returns the static-analysis runs of a repository, as text.
func staticRuns(t *testing.T, f *reviewtest.Fixture) (out []store.SastRun, text string) {
	t.Helper()
	out, err := f.Store.SastRuns(bg, f.World.Tenant, f.Runs()[0].Repository, store.SastFilter{}, store.Cursor{US: 1 << 60}, 10)
	testkit.OK(t, err)
	for _, r := range out {
		text += fmt.Sprintf("%s %s run=%t new=%d old=%d\n", r.Source, r.State, r.Run != "", r.NewFindings, r.OldFindings)
	}
	return out, text
}

// The results of an uploaded document stand on the added lines in the published review, and the run keeps both documents.
func TestUploadedResultsArePublished(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		firstReview(f)
		uploadResult(t, f, "a", "gosec", "a.go", 3, "Taken from outside <img src=x onerror=a> @everyone [x](https://evil.example) \u202e!")
		uploadResult(t, f, "a", "other", "far/away.go", 3, "old")
		uploadResult(t, f, "a", "evil", "../../etc/passwd", 1, "outside")
		uploadResult(t, f, "b", "forged", "a.go", 3, "of another commit")
		d := f.Deliver(f.Event("synchronize", "a"))
		f.Want(d, domain.DispositionRun, "completed completed")
		f.Settle()
		var found []domain.Finding
		for _, k := range f.Known() {
			found = append(found, k.Finding)
		}
		testkit.Require(t, "findings", len(found), 1)
		testkit.Equal(t, "finding", fmt.Sprint(found[0].RuleID, found[0].Anchor.Path, found[0].Anchor.StartLine, found[0].Route), "sast/gosec/R1a.go3inline")
		shown := strings.Join(f.Host.Visible(), "\n")
		for _, c := range f.Host.Comments {
			shown += "\n" + c.Body
		}
		contains(t, shown, "The analyser gosec reports under its rule R1")
		contains(t, shown, "`<img src=x onerror=a> @everyone` x !")
		for _, bad := range []string{"https://evil.example", "\u202e", "forged"} {
			if strings.Contains(shown, bad) {
				t.Errorf("the review has %q:\n%s", bad, shown)
			}
		}
		runs, text := staticRuns(t, f)
		testkit.Equal(t, "runs", text, "review completed run=true new=0 old=0\nupload waiting run=false new=0 old=0\n"+
			"upload completed run=true new=0 old=0\nupload completed run=true new=0 old=1\nupload completed run=true new=1 old=0\nreview completed run=true new=0 old=0\n")
		contains(t, runs[2].LeftOut, "outside the repository")
		body, err := f.Service.Documents.Open(bg, f.World.Tenant, f.Runs()[0].Repository, runs[0].ID)
		testkit.OK(t, err)
		doc, err := sarif.Read(bg, body, sarif.Limits{})
		testkit.OK(t, err)
		r := doc.Runs[0].Results[0]
		testkit.Equal(t, "result of the review's document", fmt.Sprint(doc.Runs[0].Tool, len(doc.Runs[0].Results), r.RuleID, r.Path, r.StartLine, doc.Runs[0].Successful),
			"assay1sast/gosec/R1a.go3 true")
	})
}

// A review uses a document without runs as it uses others. The row of a document names its broken runs after the review, too.
func TestDocumentsWithoutResultsAreUsed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		firstReview(f)
		for _, body := range []string{`{"version":"2.1.0","runs":[]}`,
			`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"results":[]},null]}`,
			`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"SARIF"}},"results":[]},null]}`} {
			_, _, err := f.Service.Documents.AddUpload(bg, f.World.Tenant, store.SastRun{Record: store.Record{Repository: f.Runs()[0].Repository}, HeadSHA: storetest.SHA("a"),
				Digest: body, Analysers: "[]", LeftOut: "[]"}, []byte(body))
			testkit.OK(t, err)
		}
		f.Deliver(f.Event("synchronize", "a"))
		f.Settle()
		runs, text := staticRuns(t, f)
		testkit.Equal(t, "runs", text, "review completed run=true new=0 old=0\n"+strings.Repeat("upload completed run=true new=0 old=0\n", 3)+"review completed run=true new=0 old=0\n")
		for i, name := range []string{"SARIF", "lint"} { // the newest first
			testkit.Equal(t, "notes of "+name, strings.Count(runs[1+i].LeftOut, "runs[1]"), 1)
		}
		testkit.Equal(t, "what is left out of an empty document", runs[3].LeftOut, "[]")
	})
}

// A push without an upload does not close what an analyser found before.
func TestFindingsOutliveAMissingUpload(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		firstReview(f)
		uploadResult(t, f, "a", "gosec", "a.go", 3, "a fault")
		f.Deliver(f.Event("synchronize", "a"))
		f.Settle()
		f.Deliver(f.Event("synchronize", "b"))
		f.Settle()
		testkit.Equal(t, "state", f.Known()[0].State, domain.FindingOpen)
	})
}

// A review waits for an upload as long as the policy says, and gives its worker back meanwhile.
func TestAReviewWaitsForAnUpload(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		firstReview(f)
		f.Policy(`{"uploadWaitMinutes":10}`)
		f.Send(f.Event("synchronize", "a"))
		f.Until("the review waits", func() bool {
			runs := f.Runs()
			return len(runs) == 2 && f.Job(runs[1].ID, domain.KindReview).WaitKind == domain.WaitUpload
		})
		job := f.Job(f.Runs()[1].ID, domain.KindReview)
		testkit.Equal(t, "worker", job.ClaimedBy, "")
		testkit.Equal(t, "failures", job.Attempts, int64(0))
		uploadResult(t, f, "a", "gosec", "a.go", 3, "a fault")
		f.Until("the review ends", func() bool { return f.States() == "completed completed" })
		testkit.Equal(t, "findings", len(f.Known()), 1)
	})
}
