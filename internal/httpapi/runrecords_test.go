package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func (w *world) ofRun(what string) string { return w.repo() + "/review-runs/" + w.Run.ID + what }

// The reviewed change is shown file by file with the line numbers of both sides. Its pages end early if lines
// are long.
func TestRunDiff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		if r := w.call(member, http.MethodGet, w.ofRun("/diff"), ""); r.status != http.StatusConflict || problemOf(t, r) != "diff_not_ready" {
			t.Errorf("diff of a run that has not ended: %d %s", r.status, r.body)
		}
		w.fill()
		if r := w.call(member, http.MethodGet, w.ofRun("/diff"), ""); r.status != http.StatusConflict || problemOf(t, r) != "diff_not_kept" {
			t.Errorf("diff of a run without a stored diff: %d %s", r.status, r.body)
		}
		pack := func(lines ...diff.Line) []byte {
			p, err := hunkcodec.Pack([]*diff.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, Section: "func f()", Lines: lines}}, 1<<20)
			must(t, err)
			return p.Hunks
		}
		var long []diff.Line
		for i := range 60 {
			long = append(long, diff.Line{Op: diff.Add, New: i + 1, Text: strings.Repeat("x", 4000)})
		}
		files := []store.DiffFile{{Path: "a/b.go", OldPath: "a/old.go", Status: "renamed", Class: "source", Language: "Go", Additions: 1, Hunks: pack(diff.Line{Op: diff.Context, Old: 1, New: 1, Text: hostile}, diff.Line{Op: diff.Add, New: 2, Text: "new", NoEOL: true}, diff.Line{Op: diff.Delete, Old: 2, Text: "old"})}}
		for i := range 6 {
			files = append(files, store.DiffFile{Path: fmt.Sprint("long", i), Status: "added", Hunks: pack(long...)})
		}
		files = append(files, store.DiffFile{Path: "img.png", Status: "modified", Binary: true, Omitted: "too large", Hunks: []byte{}})
		must(t, s.SaveRunDiff(bg, w.Tenant, w.Run.ID, files))

		var seen []string
		pages := 0
		for next := w.ofRun("/diff?limit=200"); next != ""; pages++ {
			var page httpapi.RunDiff
			w.into(&page, w.call(member, http.MethodGet, next, ""))
			testkit.Equal(t, "head", page.HeadSHA, w.Run.HeadSHA)
			for _, f := range page.Items {
				seen = append(seen, f.Path)
			}
			if next = ""; page.NextCursor != "" {
				next = w.ofRun("/diff?limit=200&cursor=" + page.NextCursor)
			}
		}
		testkit.Equal(t, "files", strings.Join(seen, " "), "a/b.go long0 long1 long2 long3 long4 long5 img.png")
		testkit.Equal(t, "pages", pages, 2)

		var one httpapi.RunDiff
		w.into(&one, w.call(member, http.MethodGet, w.ofRun("/diff?path="+url.QueryEscape("a/old.go")), ""))
		testkit.Require(t, "files with the path", len(one.Items), 1)
		testkit.Equal(t, "lines", fmt.Sprintf("%+v", one.Items[0].Hunks[0].Lines), fmt.Sprintf("%+v", []httpapi.DiffLine{{Kind: "context", Old: 1, New: 1, Text: hostile}, {Kind: "add", New: 2, Text: "new", NoEOL: true}, {Kind: "delete", Old: 2, Text: "old"}}))
		var none, names httpapi.RunDiff
		w.into(&none, w.call(member, http.MethodGet, w.ofRun("/diff?path=nowhere"), ""))
		testkit.Equal(t, "files with an unknown path", len(none.Items), 0)
		w.into(&names, w.call(member, http.MethodGet, w.ofRun("/diff?view=files&limit=2"), ""))
		if len(names.Items) != 2 || len(names.Items[0].Hunks) != 0 || names.NextCursor == "" {
			t.Errorf("names: %+v", names)
		}
		for _, bad := range []string{"cursor=x", "cursor=LQ", "view=all", "limit=0", "colour=red", "path=" + strings.Repeat("a", 5000)} {
			if r := w.call(member, http.MethodGet, w.ofRun("/diff?"+bad), ""); r.status != http.StatusUnprocessableEntity && r.status != http.StatusBadRequest {
				t.Errorf("%.20s: %d %s", bad, r.status, r.body)
			}
		}
		w.sameAsUnknown("/diff", "/outputs", "/writes", "/dropped", "/context")
	})
}

// sameAsUnknown requests parts of a run as a member of another tenant and as a person without a role. The
// answers are those for a run that never existed.
func (w *world) sameAsUnknown(paths ...string) {
	w.t.Helper()
	w.person("newcomer", false, w.Tenant, domain.RoleMember)
	for _, path := range paths {
		never := w.repo() + "/review-runs/" + domain.NewID("run") + path
		want := w.call(member, http.MethodGet, never, "")
		testkit.Equal(w.t, "status of an unknown run", want.status, http.StatusNotFound)
		for _, who := range []string{stranger, "newcomer"} {
			got := w.call(who, http.MethodGet, w.ofRun(path), "")
			if got.status != http.StatusNotFound || got.body != want.body {
				w.t.Errorf("%s of %s: %d %s", path, who, got.status, got.body)
			}
		}
	}
}

// The texts of a run have their outcomes, and its writes the host's answers.
func TestRunOutputsAndWrites(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		var out httpapi.RunOutputs
		w.into(&out, w.call(member, http.MethodGet, w.ofRun("/outputs"), ""))
		if len(out.Items) != 1 || out.Items[0].State != "published" || out.Items[0].ParentID != "" || out.Published == nil || out.Published.Phase != "PUBLISHED" || out.Published.OutputID != out.Items[0].ID || out.Decision != nil {
			t.Errorf("%+v", out)
		}
		pub, err := s.PublicationOf(bg, w.Tenant, w.Run.ID)
		must(t, err)
		id, _, err := s.BeginWrite(bg, w.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "create", Target: "octo/shop#1", Gen: pub.Gen})
		must(t, err)
		must(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "invalid", Status: 422, RequestID: "ABCD:1"}))
		_, _, err = s.BeginWrite(bg, w.Tenant, store.WriteAttempt{SubjectKind: "reflect", SubjectID: w.Run.ID, Verb: "check", Target: w.Run.HeadSHA})
		must(t, err)
		var writes httpapi.List[httpapi.RunWrite]
		w.into(&writes, w.call(member, http.MethodGet, w.ofRun("/writes"), ""))
		testkit.Require(t, "writes", len(writes.Items), 2)
		if v := writes.Items[0]; v.ID != id || v.About != "publication" || v.Outcome != "invalid" || v.Status != 422 || v.RequestID != "ABCD:1" || v.FinishedAt == nil {
			t.Errorf("%+v", v)
		}
		if v := writes.Items[1]; v.About != "reflect" || v.Outcome != "" || v.FinishedAt != nil {
			t.Errorf("%+v", v)
		}
		var d httpapi.ReviewRunDetail
		w.into(&d, w.call(member, http.MethodGet, w.ofRun(""), ""))
		if p := d.Publication; p.ID != pub.ID || p.OutputID != out.Items[0].ID || p.PublishedAt == nil || p.PayloadSHA256 != "x" {
			t.Errorf("%+v", p)
		}
	})
}

// Details of an issue in a frozen text are shown only while more than the issue's key may be shown. They are
// hidden as soon as the repository is public.
func TestRunOutputsHideIssues(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var p publish.Payload
		p.Body = markdown.Const("found\n\nPAY-1 wants a sum\n\ngo on")
		p.Issues = &publish.Issues{Before: markdown.Const("found"), Of: []publish.Issue{{Key: "PAY-1", Connection: "tcn_1", Text: markdown.Const("PAY-1 wants a sum")}}, After: markdown.Const("go on")}
		_, err := s.CreateOutput(bg, w.Tenant, w.Run.ID, "", store.JSON(map[string]any{"kind": "review", "payload": p}), "digest")
		must(t, err)
		for private, want := range map[bool]string{true: "found\n\nPAY-1 wants a sum\n\ngo on", false: "found\n\ngo on"} {
			row := w.Repository
			row.Private = private
			_, err := s.UpsertRepository(bg, w.Tenant, row)
			must(t, err)
			var out httpapi.RunOutputs
			w.into(&out, w.call(member, http.MethodGet, w.ofRun("/outputs"), ""))
			testkit.Require(t, "outputs", len(out.Items), 1)
			testkit.Equal(t, fmt.Sprint("body, private ", private), out.Items[0].Review.Body, want)
		}
	})
}

// The dropped findings of a run are listed by stage, with their number.
func TestRunDropped(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		must(t, s.SetRunResult(bg, w.Tenant, w.Run.ID, "T2", "complete", `{"dropped":{"refuted":2,"answer discarded":1}}`))
		f := domain.Finding{Origin: domain.OriginModel, Severity: domain.High, Title: hostile, Anchor: domain.Anchor{Path: "a.go", StartLine: 3, EndLine: 4}, Verdict: domain.VerdictRefuted, VerdictWhy: "No."}
		must(t, s.SaveDropped(bg, w.Tenant, w.Run.ID, []store.DroppedCandidate{{Stage: "place", Why: "no valid anchor", Finding: f}, {Stage: "verify", Why: "refuted", FindingID: "fnd_1", Finding: f}, {Stage: "verify", Why: "refuted", Finding: f}}))
		var all, some httpapi.RunDropped
		w.into(&all, w.call(member, http.MethodGet, w.ofRun("/dropped"), ""))
		if len(all.Items) != 3 || all.Counts["answer discarded"] != 1 || all.Items[1].FindingID != "fnd_1" || all.Items[0].Title != hostile || all.Items[0].StartLine != 3 || all.Items[0].VerdictWhy != "No." {
			t.Errorf("%+v", all)
		}
		w.into(&some, w.call(member, http.MethodGet, w.ofRun("/dropped?stage=verify&limit=1"), ""))
		testkit.Require(t, "page", fmt.Sprint(len(some.Items), some.NextCursor != ""), "1 true")
		next := some.NextCursor
		some = httpapi.RunDropped{}
		w.into(&some, w.call(member, http.MethodGet, w.ofRun("/dropped?stage=verify&limit=1&cursor="+next), ""))
		if len(some.Items) != 1 || some.Items[0].Ordinal != 3 || some.NextCursor != "" {
			t.Errorf("%+v", some)
		}
		if r := w.call(member, http.MethodGet, w.ofRun("/dropped?stage=all"), ""); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}
