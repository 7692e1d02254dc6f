package tenant_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// grep stands for ast-grep: each pattern ends with the same reason.
type grep struct {
	ends  analysers.Reason
	asked []analysers.PatternRequest
}

func (g *grep) MatchesPatterns() bool { return g.ends != analysers.Absent }

func (g *grep) CannotMatch(context.Context) analysers.Reason { return g.ends }

func (g *grep) Match(_ context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error) {
	g.asked = append(g.asked, q)
	return analysers.PatternOutcome{Failures: []analysers.Reason{g.ends}}, nil
}

const inPython = `{"title":"a","instruction":"x","severity":"low","matcher":{"kind":"ast","pattern":"print($$$)","language":"Python"}}`

// A pattern of a language other than Go is tried by ast-grep when its rule is created or changed, and only then.
func TestPatternsAreTriedWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	program := &grep{}
	w.Features.Tenant.CodePatterns = program
	for why, want := range map[analysers.Reason]string{"": "", analysers.Exit: "/matcher/pattern", analysers.Time: "/matcher/pattern",
		analysers.Crash: "/matcher/pattern", analysers.Absent: "/matcher/language", analysers.Sandbox: "/matcher/language",
		analysers.Version: "/matcher/language", analysers.NoProgram: "/matcher/language"} {
		program.ends = why
		_, err := rule(t, w, "", inPython)
		got := ""
		if err != nil {
			got = featuretest.Pointers(t, err)
		}
		testkit.Equal(t, string(why), got, want)
	}
	q := program.asked[0]
	testkit.Equal(t, "pattern", q.Patterns[0], analysers.Pattern{Language: "python", Code: "print($$$)"})
	testkit.Equal(t, "file", len(q.Files) == 1 && strings.HasSuffix(q.Files[0].Path, ".py"), true)

	program.ends = analysers.Sandbox
	off, err := rule(t, w, "", strings.Replace(inPython, `{"title"`, `{"enabled":false,"title"`, 1))
	testkit.OK(t, err)
	update := func(doc string) string {
		_, err := w.Features.Tenant.UpdateRule(bg, w.Tenant, "", off.ID, 0, featuretest.Request[tenant.RuleUpdate](t, doc))
		if err == nil {
			return ""
		}
		return featuretest.Pointers(t, err)
	}
	testkit.Equal(t, "switched on without a sandbox", update(`{"enabled":true}`), "/matcher/language")
	program.ends = ""
	testkit.Equal(t, "switched on", update(`{"enabled":true}`), "")
	program.ends = analysers.Sandbox
	before := len(program.asked)
	testkit.Equal(t, "another title", update(`{"title":"b"}`), "")
	testkit.Equal(t, "the pattern is not tried again", len(program.asked), before)
	testkit.Equal(t, "another pattern", update(`{"matcher":{"kind":"ast","pattern":"f()","language":"java"}}`), "/matcher/language")
	testkit.Equal(t, "a regular expression", update(`{"matcher":{"kind":"regex","pattern":"f"}}`), "")
}

// A rule that would never run does not look active.
func TestRulesWithoutTheirProgramAreNotActive(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	w.Features.Tenant.CodePatterns = &grep{}
	_, err := rule(t, w, "", inPython)
	testkit.OK(t, err)
	state := func() (bool, string) {
		all, _, err := w.Features.Tenant.EffectiveRules(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		testkit.Require(t, "rules", len(all), 1)
		return all[0].Active, all[0].Reason
	}
	active, why := state()
	testkit.Equal(t, "with ast-grep", active && why == "", true)
	w.Features.Tenant.CodePatterns = &grep{ends: analysers.Absent}
	active, why = state()
	testkit.Equal(t, "without ast-grep", !active && why == "noProgram", true)
	w.Features.Tenant.CodePatterns = &grep{ends: analysers.Sandbox}
	active, why = state()
	testkit.Equal(t, "with one that cannot run", !active && why == "programFails", true)
	w.Features.Tenant.CodePatterns = nil
	_, why = state()
	testkit.Equal(t, "in a process that starts no programs", why, "noProgram")
}
