package github

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/testkit"
)

// GitHub does not sign the event name. A body is therefore accepted only for its own event.
func TestABodyUnderAnotherNameIsIgnored(t *testing.T) {
	const install = `"installation":{"id":1,"account":{"id":2,"login":"octo"}},"repository":{"id":3,"name":"r","owner":{"login":"octo"}},"sender":{"login":"mona","id":5}`
	for name, c := range map[string]struct{ event, body string }{
		"push as installation":                    {"installation", `{"action":"deleted","ref":"refs/heads/main","commits":[],` + install + `}`},
		"an issue's deletion as a repository's":   {"repository", `{"action":"deleted","issue":{"id":7},` + install + `}`},
		"an issue's transfer as a repository's":   {"repository", `{"action":"transferred","issue":{"id":7},"changes":{},` + install + `}`},
		"a label's deletion as a repository's":    {"repository", `{"action":"deleted","label":{"id":7},` + install + `}`},
		"a repository's deletion as an account's": {"installation", `{"action":"deleted",` + install + `}`},
		"a repository's deletion as people's":     {"organization", `{"action":"deleted",` + install + `}`},
		"a comment as a review comment":           {"pull_request_review_comment", `{"action":"created","comment":{"id":1,"body":"/assay pause"},"issue":{"number":1,"pull_request":{}},"pull_request":{"number":1},` + install + `}`},
		"a star's end as a repository's":          {"repository", `{"action":"deleted","starred_at":null,` + install + `}`},
		"a team's member as a repository's":       {"member", `{"action":"added","scope":"team","member":{"id":9},"team":{"id":4},` + install + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := Parse(Header{Event: c.event, Delivery: "g"}, []byte(c.body))
			testkit.OK(t, err)
			testkit.Equal(t, "kind", ev.Kind, codehost.KindIgnored)
			testkit.Equal(t, "reason", ev.Reason, codehost.ReasonOtherEvent)
		})
	}
}

// TestOfficialBodiesFitTheirOwnEventOnly sends every official example under the name of every event that
// assay acts on.
func TestOfficialBodiesFitTheirOwnEventOnly(t *testing.T) {
	for _, e := range testkit.GitHubHooks(t) {
		for i, body := range e.Examples {
			for name := range usedEvents {
				ev, err := Parse(Header{Event: name, Delivery: "g"}, body)
				switch {
				case name == e.Name && (err != nil || ev.Reason == codehost.ReasonOtherEvent):
					t.Errorf("%s %d is refused: %v %s", e.Name, i, err, ev.Reason)
				case name != e.Name && err == nil && ev.Kind != codehost.KindIgnored:
					t.Errorf("%s %d (%s) is taken for %s", e.Name, i, ev.Action, name)
				}
			}
		}
	}
}
