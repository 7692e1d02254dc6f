package github

import (
	"errors"
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

// An ended status and the job that a simulated host reports are checks of a commit.
func TestStatusEvent(t *testing.T) {
	t.Parallel()
	body := func(state string) []byte {
		return []byte(`{"id":7,"sha":"` + headSHA + `","name":"octo/demo","context":"ci","description":null,"target_url":null,"state":"` + state +
			`","commit":{"sha":"` + headSHA + `"},"branches":[],"repository":{"id":1,"name":"demo","full_name":"octo/demo","owner":{"login":"octo"}},"sender":{"login":"ann","id":3}}`)
	}
	ev, err := Parse(Header{Event: "status"}, body("failure"))
	if err != nil || ev.Kind != codehost.KindCheck || ev.Action != "completed" || ev.Check == nil || ev.Check.Name != "ci" ||
		ev.Check.HeadSHA != headSHA || ev.Check.Conclusion != "failure" || ev.Check.AppID != "" {
		t.Errorf("a failed status: %+v, %+v, %v", ev, ev.Check, err)
	}
	if ev, err = Parse(Header{Event: "status"}, body("pending")); err != nil || ev.Kind != codehost.KindIgnored {
		t.Errorf("a status that waits: %+v, %v", ev, err)
	}
	if _, err = Parse(Header{Event: "status"}, []byte(`{"state":"failure","repository":{"id":1}}`)); !errors.Is(err, codehost.ErrPayload) {
		t.Errorf("a status without a commit: %v", err)
	}
}
