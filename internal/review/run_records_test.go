package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run keeps the files it looked at and the reports it dropped, without the secret of the change. Its
// outputs and writes can be read after its end.
func TestARunKeepsWhatExplainsIt(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		line := reviewtest.SecretLine()
		value := strings.Split(line, `"`)[1]
		f.Snapshots.Lines[storetest.SHA("a")] = line
		f.Models.Set(func(int) (llm.Response, error) { // a claim about code that is not there
			return llm.Response{Text: `{"findings":[{"path":"a.go","side":"RIGHT","start":3,"end":3,"quote":"nowhere(` + value + `)","category":"bug","rule_key":"nil-deref","severity":"high","title":"Of ` + value +
				`","trigger":"","explanation":"It says ` + value + `.","evidence":[],"fix":null,"self_doubt":0,"same_as":""}],` +
				`"verdicts":[{"claim":"c1","verdict":"unproven","scope":"introduced","reachable":"unknown","severity":"low"}]}`, StopReason: llm.StopEnd}, nil
		})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		f.Settle()
		files, err := f.Store.RunDiff(bg, f.World.Tenant, d.RunID, 0, 10)
		testkit.OK(t, err)
		testkit.Require(t, "files", len(files), 1)
		hunks, err := hunkcodec.Unpack(files[0].Hunks)
		testkit.OK(t, err)
		last := hunks[0].Lines[2]
		if files[0].Path != "a.go" || files[0].Additions != 1 || files[0].Cut || last.Op != diff.Add || last.New != 3 || last.Old != 0 || !strings.Contains(last.Text, "[redacted:") {
			t.Errorf("%+v, %+v", files[0], last)
		}
		dropped, err := f.Store.DroppedCandidates(bg, f.World.Tenant, d.RunID, "", 0, 10)
		testkit.OK(t, err)
		testkit.Require(t, "dropped", len(dropped), 1)
		if g := dropped[0]; g.Stage != "place" || g.Why != "no valid anchor" || g.Finding.Severity != domain.High || g.Finding.Anchor.StartLine != 3 || !strings.Contains(g.Finding.Title, "[redacted:") {
			t.Errorf("%+v", g)
		}
		if all := fmt.Sprintf("%+v %+v", hunks[0].Lines, dropped); strings.Contains(all, value) {
			t.Error("the secret is kept")
		}
		outputs, err := f.Store.Outputs(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Equal(t, "outputs", len(outputs), 1)
		writes, err := f.Store.RunWrites(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		verbs := ""
		for _, w := range writes {
			verbs += w.SubjectKind + ":" + w.Verb + ":" + w.Outcome + " "
		}
		for _, want := range []string{"publication:create:ok", "publication:submit:ok", "reflect:"} {
			contains(t, verbs, want)
		}
		if run := f.Runs()[0]; !strings.Contains(run.Summary, `"stages":[{"stage":"load"`) {
			t.Errorf("no times of stages in %s", run.Summary)
		}
	})
}

// The refutation of a claim is kept with its reason, and names the stored finding.
func TestWhatWasRefutedNamesItsFinding(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Snapshots.Lines[storetest.SHA("a")] = "func f() { return }"
		f.Models.Set(func(int) (llm.Response, error) { // the checker is not convinced
			return llm.Response{Text: `{"findings":[{"path":"a.go","side":"RIGHT","start":3,"end":3,"quote":"func f() { return }","category":"maintainability","rule_key":"dead-code","severity":"low","title":"It does nothing",` +
				`"trigger":"","explanation":"Nobody needs it.","evidence":[],"fix":null,"self_doubt":0,"same_as":""}],` +
				`"verdicts":[{"claim":"c1","verdict":"unproven","scope":"introduced","reachable":"unknown","severity":"low"}]}`, StopReason: llm.StopEnd}, nil
		})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		found, err := f.Store.RunFindings(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Require(t, "findings", len(found), 1)
		dropped, err := f.Store.DroppedCandidates(bg, f.World.Tenant, d.RunID, "", 0, 10)
		testkit.OK(t, err)
		testkit.Require(t, "dropped", len(dropped), 1)
		testkit.Equal(t, "its finding", dropped[0].FindingID, found[0].ID)
		testkit.Equal(t, "its stage and reason", dropped[0].Stage+", "+dropped[0].Why, "verify, unproven")
	})
}

// If a person drops a finding, both outputs are kept: the one that waited, and the new one, which names
// it as its parent.
func TestOutputsOfADecision(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, _ string) {
		a := waits(f)
		p := payloadOf(f, a.Output)
		_, err := decide(f, a, approval.Decision{To: domain.ApprovalApproved, Changes: domain.ApprovalChanges{Drop: p.Posted[:1]}})
		testkit.OK(t, err)
		outputs, err := f.Store.Outputs(bg, f.World.Tenant, a.Run)
		testkit.OK(t, err)
		testkit.Require(t, "outputs", len(outputs), 2)
		testkit.Equal(t, "parent", outputs[1].Parent, a.Output)
	})
}
