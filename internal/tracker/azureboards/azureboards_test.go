package azureboards

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func page(paragraph, one, two, code string) string {
	return "<div>" + html.EscapeString(paragraph) + "</div><ul><li>" + html.EscapeString(one) + "</li><li>" + html.EscapeString(two) + "</li></ul><pre><code>" + html.EscapeString(code) + "</code></pre>"
}

func suite(doubts ...simapi.Doubt) trackertest.Suite {
	return trackertest.Suite{Dialect: simapi.AzureBoards, Doubts: doubts, New: New, Text: page, Field: "Microsoft.VSTS.Common.AcceptanceCriteria",
		Foreign: []string{"PAY-1", "0", "01", "AB#12", "12345678901"}}
}

func TestAgainstTheSimulator(t *testing.T) { trackertest.Run(t, suite()) }

func TestSignInPage(t *testing.T) { trackertest.Run(t, suite(simapi.SignInIsPage)) }

func TestPullRequestsOfAzureRepos(t *testing.T) {
	w := trackertest.NewWorld(t, simapi.AzureBoards)
	a := trackertest.Must(New(w.Config(t)))(t)
	made := w.Make(t, simapi.IssueSpec{})
	trackertest.NoError(t, w.Link(t.Context(), made.Key, simapi.Link{URL: "vstfs://x/Git/PullRequestId/no", Title: "Other"}))
	i := trackertest.Must(a.Issue(t.Context(), made.Key, tracker.Want{}))(t)
	if len(i.PullRequests) != 0 {
		t.Errorf("pull requests %v", i.PullRequests)
	}
	_, list := item{Relations: []relation{{Rel: "ArtifactLink", URL: "vstfs:///Git/PullRequestId/0b1f%2Fc2d3%2f17"}}}.links("https://dev.azure.com/acme")
	if want := []string{"https://dev.azure.com/acme/0b1f/_git/c2d3/pullrequest/17"}; !slices.Equal(list, want) {
		t.Errorf("pull requests %v, want %v", list, want)
	}
}

func TestMarkdownFields(t *testing.T) {
	i := item{Fields: map[string]json.RawMessage{"System.Description": json.RawMessage(`"a <b>\n\n- [ ] c"`)}, MultilineFieldsFormat: map[string]string{"System.Description": "markdown"}}
	if got, _ := i.markdownField("System.Description", tracker.MaxText); got != "a <b>\n\n- [ ] c" {
		t.Errorf("%q", got)
	}
}

func TestHooks(t *testing.T) {
	key := "a secret of a hook"
	t.Run("Basic", func(t *testing.T) {
		trackertest.RunHooks(t, simapi.AzureBoards, Hooks(), simapi.HookSpec{User: "assay", Password: key}, secret.New(key))
	})
	t.Run("Header", func(t *testing.T) {
		trackertest.RunHooks(t, simapi.AzureBoards, Hooks(), simapi.HookSpec{Header: azure.SecretHeader, Value: key}, secret.New(key))
	})
}

func TestHooksWithLittle(t *testing.T) {
	for body, want := range map[string]tracker.Event{
		`{"eventType":"workitem.updated","resource":null}`:                 {Name: "workitem.updated", Issue: true},
		`{"eventType":"workitem.created","resource":{"id":-1}}`:            {Name: "workitem.created", Issue: true},
		`{"eventType":"git.push","resource":{"id":7}}`:                     {Name: "git.push"},
		`{"eventType":"workitem.updated","resource":{"workItemId":7}}`:     {Name: "workitem.updated", Issue: true, Key: "7"},
		`{"eventType":"workitem.deleted","resource":{"id":7,"fields":{}}}`: {Name: "workitem.deleted", Issue: true, Key: "7", Deleted: true},
	} {
		if got, err := parseHook(nil, []byte(body)); err != nil || got != want {
			t.Errorf("%s: %+v %v", body, got, err)
		}
	}
}

func FuzzHooks(f *testing.F) {
	trackertest.FuzzHooks(f, Hooks(), "Authorization", `{"eventType":"workitem.updated","resource":{"workItemId":7,"revision":{"fields":{"System.TeamProject":"Pay"}}}}`, `{"eventType":"workitem.created","resource":[]}`)
}

func TestOtherSignInsProveNothing(t *testing.T) {
	key := []secret.Secret{secret.New("a secret of a hook")}
	for _, value := range []string{"Bearer a secret of a hook", "Basic !", "Basic " + base64.StdEncoding.EncodeToString([]byte("a secret of a hook")), "a secret of a hook"} {
		if verifyHook(http.Header{"Authorization": {value}}, nil, key) == nil {
			t.Errorf("%q proves a delivery", value)
		}
	}
}
