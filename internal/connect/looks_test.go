package connect_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// runOf returns the run that the delivery of a case created.
func runOf(t *testing.T, s *store.Store, c *modelCase) string {
	t.Helper()
	return reviewtest.Delivery(t, s, c.guid).RunID
}

// A verifier of every kind reads code before it decides, and the run keeps which code it read. A verifier
// without tools decides without reading, and one that never stops calling tools is stopped.
func TestWhatModelsLookAtIsKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newReviews(t, s)
		token := "ghp_" + strings.Repeat("a1B2", 9)
		reads := model.Reply{ToolCalls: []model.ToolCall{{ID: "thought_1", Name: "read_file", Arguments: `{"path":"shop.go","from":1,"to":3,"side":"RIGHT"}`}, {ID: "thought_2", Name: "shell", Arguments: `{"run":"` + token + `"}`}}}
		testkit.OK(t, f.sim.AddRules([]model.Rule{
			{Match: model.Match{Stage: "verify", Tools: "offered", UserContains: []string{"Division by zero"}, Turn: 1}, Reply: reads},
			{Name: "look", Match: model.Match{Stage: "verify", Tools: "offered", Turn: 2}, Reply: model.Reply{ToolCalls: []model.ToolCall{{ID: "thought_3", Name: "read_file", Arguments: `{"path":"../shop.go","from":1,"to":3,"side":"RIGHT"}`}}}},
		}, true))
		want := "completed; model complete; confirmed, inline"
		var all []*modelCase
		for _, kind := range []string{catalog.OpenAI, catalog.Azure, catalog.Anthropic, catalog.Mistral, catalog.Bedrock, catalog.Compatible} {
			all = append(all, &modelCase{name: kind, kind: kind, head: storetest.SHA("bug"), tier: "strong", least: 3, want: want},
				&modelCase{name: kind + " without tools", kind: kind, head: storetest.SHA("bug"), tier: "strong", fault: model.Fault{Action: model.RejectTools, Times: forGood}, least: 2, want: want})
		}
		f.run(all)
		for _, c := range all {
			var got []string
			rows, err := s.ToolCalls(bg, c.tenant, runOf(t, s, c))
			testkit.OK(t, err)
			for _, r := range rows {
				got = append(got, r.Stage+" "+r.Tool+" "+r.Outcome)
				if strings.Contains(r.Arguments, token) {
					t.Errorf("%s: what looks like a secret is kept", c.name)
				}
			}
			looked := "verify read_file ok, verify shell refused, verify read_file refused"
			if c.fault.Action != "" {
				looked = ""
			}
			testkit.Equal(t, "looked at by "+c.name, strings.Join(got, ", "), looked)
		}
	})
}
