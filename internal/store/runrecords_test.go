package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// The change that a run looked at is kept in the order of the diff, bounded, whatever bytes its paths
// have, and is deleted with its run.
func TestRunDiff(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		files := []store.DiffFile{
			{Path: "a\xff\x00b", OldPath: "old", Status: "renamed", Class: "source", Language: "Go", Additions: 3, Deletions: 1, Cut: true, Hunks: []byte{0, 1, 0xff}},
			{Path: "bin", Status: "added", Binary: true, Omitted: strings.Repeat("é", 300), Hunks: []byte{}},
		}
		for i := range store.MaxDiffFiles {
			files = append(files, store.DiffFile{Path: fmt.Sprint("f", i), Status: "modified", Hunks: []byte{byte(i)}})
		}
		testkit.OK(t, s.SaveRunDiff(bg, w.Tenant, w.Run.ID, files))
		all := must2(s.RunDiff(bg, w.Tenant, w.Run.ID, 0, len(files)+1))(t)
		testkit.Equal(t, "files", len(all), store.MaxDiffFiles)
		first := all[0]
		testkit.Equal(t, "first", fmt.Sprintf("%+v", first), fmt.Sprintf("%+v", store.DiffFile{Ordinal: 1, Path: "a\uFFFD\uFFFDb", OldPath: "old", Status: "renamed", Class: "source", Language: "Go", Additions: 3, Deletions: 1, Cut: true, Hunks: []byte{0, 1, 0xff}}))
		if !all[1].Binary || len(all[1].Omitted) > 300 {
			t.Errorf("second: %+v", all[1])
		}
		names := must2(s.RunDiffNames(bg, w.Tenant, w.Run.ID, 1, 2))(t)
		if len(names) != 2 || names[0].Path != "bin" || names[1].Hunks != nil {
			t.Errorf("names: %+v", names)
		}
		for _, path := range []string{"old", "a\uFFFD\uFFFDb"} {
			testkit.Equal(t, "files with the path", len(must2(s.RunDiffOf(bg, w.Tenant, w.Run.ID, path))(t)), 1)
		}
		raw(t, s, `DELETE FROM review_runs WHERE id = $1`, w.Run.ID)
		testkit.Equal(t, "files of a run that is gone", len(must2(s.RunDiff(bg, w.Tenant, w.Run.ID, 0, 9))(t)), 0)
	})
}

// The candidates that a run dropped are kept in order, bounded in number and length, and are deleted
// with the run.
func TestDropped(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		long := strings.Repeat("é", 10<<10)
		list := []store.DroppedCandidate{{Stage: "verify", Why: "refuted", FindingID: "fnd_1", Finding: domain.Finding{Severity: domain.High, Title: "a\x00b", Explanation: long, VerdictWhy: long, RuleID: long, Category: domain.Category(long), Anchor: domain.Anchor{Path: long, StartLine: 7}}}}
		for range store.MaxDropped {
			list = append(list, store.DroppedCandidate{Stage: "rank", Why: "minor"})
		}
		testkit.OK(t, s.SaveDropped(bg, w.Tenant, w.Run.ID, list))
		all := must2(s.DroppedCandidates(bg, w.Tenant, w.Run.ID, "", 0, 1000))(t)
		testkit.Equal(t, "kept", len(all), store.MaxDropped)
		d := all[0]
		if d.Ordinal != 1 || d.Stage != "verify" || d.Why != "refuted" || d.FindingID != "fnd_1" || d.Finding.Title != "a\x00b" || d.Finding.Severity != domain.High || d.Finding.Anchor.StartLine != 7 {
			t.Errorf("%+v", d)
		}
		if n := len(d.Finding.Explanation) + len(d.Finding.VerdictWhy) + len(d.Finding.RuleID) + len(d.Finding.Category) + len(d.Finding.Anchor.Path); n > 11<<10 {
			t.Errorf("%d bytes of words", n)
		}
		testkit.Equal(t, "of a stage", len(must2(s.DroppedCandidates(bg, w.Tenant, w.Run.ID, "rank", 2, 5))(t)), 5)
		raw(t, s, `DELETE FROM review_runs WHERE id = $1`, w.Run.ID)
		testkit.Equal(t, "candidates of a deleted run", len(must2(s.DroppedCandidates(bg, w.Tenant, w.Run.ID, "", 0, 9))(t)), 0)
	})
}

// Fix runs and their stored stages are deleted with the review whose findings they fix.
func TestFixRunsGoWithTheirReview(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		v := must2(store.AddRecord(bg, s, w.Tenant, store.FixRun{Record: store.Record{Repository: w.Run.Repository}, Run: w.Run.ID, Delivery: domain.FixCommit, State: domain.FixRunning, FindingIDs: `[]`, Result: `{}`}))(t)
		testkit.OK(t, s.SaveFixStageResult(bg, w.Tenant, v.ID, "fix", "hash", []byte("{}")))
		raw(t, s, `DELETE FROM review_runs WHERE id = $1`, w.Run.ID)
		if _, err := s.FixRunForWork(bg, v.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("the fix run is left: %v", err)
		}
		_, there, err := s.FixStageResult(bg, w.Tenant, v.ID, "fix", "hash")
		testkit.OK(t, err)
		testkit.Equal(t, "stage is left", there, false)
	})
}

// The writes of a run are those of its publication and of the run itself, with the host's answer, and
// not those of another run.
func TestRunWrites(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		pub := w.creating(t, s)
		for _, a := range []store.WriteAttempt{{SubjectKind: "publication", SubjectID: pub.ID, Verb: "create", Target: "octo/shop#1", Gen: pub.Gen}, {SubjectKind: "reflect", SubjectID: w.Run.ID, Verb: "check"},
			{SubjectKind: "reflect", SubjectID: domain.NewID("run"), Verb: "other"}, {SubjectKind: "command", SubjectID: w.Run.ID, Verb: "reply"}} {
			id, _, err := s.BeginWrite(bg, w.Tenant, a)
			testkit.OK(t, err)
			if a.Verb == "check" {
				continue // its end is unknown
			}
			testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "ok", Status: 201, RequestID: strings.Repeat("x", 200)}))
		}
		got := must2(s.RunWrites(bg, w.Tenant, w.Run.ID))(t)
		testkit.Equal(t, "writes", len(got), 2)
		if c := got[0]; c.ID == "" || c.Verb != "create" || c.Outcome != "ok" || c.Status != 201 || len(c.RequestID) != 100 || c.FinishedUS == 0 {
			t.Errorf("%+v", c)
		}
		if c := got[1]; c.Verb != "check" || c.Outcome != "" || c.FinishedUS != 0 || c.Status != 0 {
			t.Errorf("%+v", c)
		}
	})
}
