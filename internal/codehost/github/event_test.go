package github

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// expected has the result for each action of the used events. An action that is missing here must be ignored
// as unused (or, for a ping, as a ping).
var expected = map[string]codehost.EventKind{
	"pull_request opened": "pull_request", "pull_request synchronize": "pull_request", "pull_request reopened": "pull_request",
	"pull_request ready_for_review": "pull_request", "pull_request converted_to_draft": "pull_request", "pull_request closed": "pull_request",
	"pull_request edited": "pull_request", "pull_request labeled": "pull_request", "pull_request review_requested": "pull_request",
	"pull_request_review submitted": "review", "pull_request_review dismissed": "review",
	"pull_request_review_comment created": "comment",
	"pull_request_review_thread resolved": "review_thread", "pull_request_review_thread unresolved": "review_thread",
	"check_run completed": "check", "check_run rerequested": "check", "check_run requested_action": "check",
	"check_suite completed": "check", "check_suite rerequested": "check", "status completed": "check",
	"push ":                "push", // of branches; tags are ignored
	"installation created": "installation", "installation deleted": "installation", "installation suspend": "installation",
	"installation unsuspend": "installation", "installation new_permissions_accepted": "installation",
	"installation_repositories added": "installation_repositories", "installation_repositories removed": "installation_repositories",
	"github_app_authorization revoked": "authorization",
	"issue_comment created":            "comment", "issue_comment edited": "comment", // on a pull request; comments on an issue are ignored
	"member added": "membership", "membership added": "membership", "membership removed": "membership",
	"organization member_added": "membership", "organization renamed": "membership",
	"team added_to_repository": "membership", "team created": "membership", "team edited": "membership",
	"repository created": "repository", "repository edited": "repository", "repository privatized": "repository",
	"repository publicized": "repository", "repository transferred": "repository",
}

func TestPublishedExamples(t *testing.T) {
	t.Parallel()
	events := testkit.GitHubHooks(t)
	key, shapes, kinds := secret.New("example-key"), 0, map[codehost.EventKind]int{}
	for _, e := range events {
		for _, body := range e.Examples {
			shapes++
			if _, err := verify(body, sign(body, "example-key"), secret.New("other"), key); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			ev, err := Parse(Header{Event: e.Name, Delivery: "d-1", TargetID: 4711, TargetType: "integration"}, body)
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			kinds[ev.Kind]++
			want, reason := expected[e.Name+" "+ev.Action], ""
			switch {
			case want == "" && e.Name == "ping":
				want, reason = codehost.KindIgnored, codehost.ReasonPing
			case want == "" && usedEvents[e.Name].kind != "":
				want, reason = codehost.KindIgnored, codehost.ReasonUnusedAction
			case want == "":
				want, reason = codehost.KindIgnored, codehost.ReasonUnusedEvent
			case e.Name == "push" && bytes.Contains(body, []byte(`"refs/tags/`)):
				want, reason = codehost.KindIgnored, codehost.ReasonUnusedAction
			case ev.Comment != nil && !ev.Comment.OnPullRequest:
				want, reason = codehost.KindIgnored, codehost.ReasonNotPullRequest
			}
			if ev.Kind != want || ev.Reason != reason || ev.AppID != "4711" || ev.Delivery != "d-1" {
				t.Errorf("%s %s is %q (%q), want %q (%q)", e.Name, ev.Action, ev.Kind, ev.Reason, want, reason)
			}
			whole(t, ev)
		}
	}
	if shapes < 100 || len(events) < 58 {
		t.Fatalf("only %d shapes of %d events", shapes, len(events))
	}
	for _, k := range []codehost.EventKind{codehost.KindPullRequest, codehost.KindReview, codehost.KindReviewThread,
		codehost.KindCheck, codehost.KindInstallation, codehost.KindInstallationRepositories, codehost.KindRepository,
		codehost.KindMembership, codehost.KindAuthorization, codehost.KindComment, codehost.KindIgnored} {
		if kinds[k] == 0 {
			t.Errorf("no example of kind %s", k)
		}
	}
}

// whole checks that an event has all fields that its kind promises.
func whole(t *testing.T, ev codehost.Event) {
	t.Helper()
	ok := true
	switch ev.Kind {
	case codehost.KindPullRequest:
		p := ev.PullRequest
		ok = p != nil && p.Number > 0 && len(p.HeadSHA) == 40 && len(p.BaseSHA) == 40 && p.HeadRef != "" && p.Author != "" && p.AuthorID != "" &&
			!p.UpdatedAt.IsZero() && ev.Repository != nil && ev.Repository.Owner != "" && ev.Repository.DefaultBranch != ""
	case codehost.KindComment:
		ok = ev.Comment != nil && ev.Comment.ID != "" && ev.Comment.Number > 0 && ev.Comment.OnPullRequest && ev.PullRequest != nil
	case codehost.KindReview, codehost.KindReviewThread:
		ok = ev.Review != nil && ev.Review.ID != "" && ev.PullRequest.Number > 0
	case codehost.KindCheck:
		ok = ev.Check != nil && ev.Check.ID != "" && len(ev.Check.HeadSHA) == 40
	case codehost.KindInstallation, codehost.KindInstallationRepositories:
		ok = ev.Installation.ID != "" && ev.Installation.AccountLogin != "" && ev.Installation.AccountID != ""
		for _, r := range append(ev.Repositories, ev.RepositoriesRemoved...) {
			ok = ok && r.ExternalID != "" && r.Owner != "" && r.Name != ""
		}
	}
	if !ok {
		t.Errorf("%s %s is not whole: %+v", ev.Name, ev.Action, ev)
	}
}

const pullPayload = `{"action":"labeled","number":7,"label":{"name":"review me"},
 "pull_request":{"number":7,"title":"T","state":"open","draft":true,"user":{"login":"ann","id":3,"type":"User"},"author_association":"MEMBER",
  "head":{"sha":"` + headSHA + `","ref":"topic","repo":{"id":6}},"base":{"sha":"` + baseSHA + `","ref":"main","repo":{"id":5}},
  "labels":[{"name":"x"},{"name":"y"}],"updated_at":"2026-11-21T10:00:00Z","changed_files":2},
 "repository":{"id":5,"name":"demo","full_name":"octo/demo","owner":{"login":"octo","id":1},"default_branch":"main","private":true},
 "installation":{"id":99},"sender":{"login":"renovate[bot]","id":8,"type":"Bot"}}`

func TestPullRequestPayload(t *testing.T) {
	t.Parallel()
	ev, err := Parse(Header{Event: "pull_request", Delivery: "d"}, []byte(pullPayload))
	if err != nil {
		t.Fatal(err)
	}
	p := ev.PullRequest
	if ev.Kind != codehost.KindPullRequest || ev.Label != "review me" || !p.FromFork || !p.Draft || !p.Open || p.Association != "MEMBER" ||
		strings.Join(p.Labels, " ") != "x y" || ev.Installation.ID != "99" || !ev.Sender.IsBot || !ev.Repository.Private || ev.AppID != "" {
		t.Fatalf("%+v, %+v", ev, p)
	}
}

func TestAnUninstalledAccountLosesItsRepositories(t *testing.T) {
	t.Parallel()
	body := `{"action":"deleted","installation":{"id":9,"app_slug":"assay","suspended_at":"2026-11-21T10:00:00Z","account":{"login":"octo","id":1,"type":"Organization"}},
	 "repositories":[{"id":5,"name":"demo","full_name":"octo/demo","private":true}]}`
	ev, err := Parse(Header{Event: "installation"}, []byte(body))
	if err != nil || len(ev.Repositories) != 0 || len(ev.RepositoriesRemoved) != 1 || ev.RepositoriesRemoved[0].Owner != "octo" ||
		!ev.Installation.Suspended || ev.Installation.AccountType != "Organization" || ev.Installation.AppSlug != "assay" {
		t.Fatalf("%+v, %v", ev, err)
	}
}

func TestPayloadsThatAreRefusedOrIgnored(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event, body, reason string
		bad                 bool
	}{
		"empty":                         {"pull_request", "", "", true},
		"array":                         {"pull_request", "[]", "", true},
		"text":                          {"ping", `"zen"`, "", true},
		"cut":                           {"pull_request", pullPayload[:200], "", true},
		"two values":                    {"pull_request", pullPayload + pullPayload, "", true},
		"unknown event, not JSON":       {"new_event", "{", "", true},
		"unknown event":                 {"new_event", `{"action":"x"}`, codehost.ReasonUnknownEvent, false},
		"unknown event, other types":    {"new_event", `{"action":7,"repository":"x"}`, codehost.ReasonUnknownEvent, false},
		"unused event, other types":     {"watch", `{"repository":[1],"sender":3}`, codehost.ReasonUnusedEvent, false},
		"a push without a branch":       {"push", `{"repository":{"id":5},"after":"1"}`, "", true},
		"a push of a tag":               {"push", `{"repository":{"id":5},"after":"1","ref":"refs/tags/v1"}`, codehost.ReasonUnusedAction, false},
		"a push with a new branch's":    {"push", `{"repository":{"id":5},"after":"1","ref":"refs/heads/a","ref_type":"branch"}`, codehost.ReasonOtherEvent, false},
		"ping":                          {"ping", `{"zen":"z","hook_id":1}`, codehost.ReasonPing, false},
		"unused action":                 {"pull_request", strings.Replace(pullPayload, "labeled", "locked", 1), codehost.ReasonUnusedAction, false},
		"no action":                     {"pull_request", strings.Replace(pullPayload, `"action":"labeled",`, "", 1), codehost.ReasonUnusedAction, false},
		"no pull request":               {"pull_request", `{"action":"opened","repository":{"id":5}}`, "", true},
		"pull request null":             {"pull_request", `{"action":"opened","pull_request":null,"repository":{"id":5}}`, "", true},
		"no number":                     {"pull_request", strings.Replace(pullPayload, `{"number":7,`, `{`, 1), "", true},
		"number is text":                {"pull_request", strings.Replace(pullPayload, `{"number":7,`, `{"number":"7",`, 1), "", true},
		"no head":                       {"pull_request", strings.Replace(pullPayload, headSHA, "", 1), "", true},
		"no repository":                 {"pull_request", strings.Replace(pullPayload, `"repository"`, `"repo"`, 1), "", true},
		"comment without id":            {"issue_comment", `{"action":"created","comment":{},"issue":{"number":1}}`, "", true},
		"comment without issue":         {"issue_comment", `{"action":"created","comment":{"id":1}}`, "", true},
		"comment on an issue":           {"issue_comment", `{"action":"created","comment":{"id":1},"issue":{"number":1}}`, codehost.ReasonNotPullRequest, false},
		"comment on an issue, null":     {"issue_comment", `{"action":"created","comment":{"id":1},"issue":{"number":1,"pull_request":null}}`, codehost.ReasonNotPullRequest, false},
		"deleted comment":               {"issue_comment", `{"action":"deleted","comment":{"id":1},"issue":{"number":1,"pull_request":{}}}`, codehost.ReasonUnusedAction, false},
		"installation without id":       {"installation", `{"action":"created","installation":{"account":{"id":1}}}`, "", true},
		"installation without account":  {"installation", `{"action":"created","installation":{"id":1}}`, "", true},
		"check without id":              {"check_run", `{"action":"rerequested","check_run":{}}`, "", true},
		"thread without comments":       {"pull_request_review_thread", strings.Replace(pullPayload, "labeled", "resolved", 1), "", true},
		"review without id":             {"pull_request_review", strings.Replace(pullPayload, "labeled", "submitted", 1), "", true},
		"sender is text, used event":    {"pull_request", strings.Replace(pullPayload, `"sender":{`, `"sender":"x","s":{`, 1), "", true},
		"deep nesting of an unused one": {"push", `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev, err := Parse(Header{Event: tc.event, Delivery: "d"}, []byte(tc.body))
			if tc.bad != (err != nil) || (err != nil && !errors.Is(err, codehost.ErrPayload)) {
				t.Fatalf("err = %v", err)
			}
			if tc.bad {
				if ev.Kind != "" {
					t.Fatalf("a refused payload has kind %q", ev.Kind)
				}
				return
			}
			if ev.Kind != codehost.KindIgnored || ev.Reason != tc.reason {
				t.Fatalf("kind %q, reason %q; want reason %q", ev.Kind, ev.Reason, tc.reason)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pull_request", []byte(pullPayload))
	f.Add("issue_comment", []byte(`{"action":"created","comment":{"id":1},"issue":{"number":1,"pull_request":{}},"repository":{"id":1}}`))
	f.Add("installation", []byte(`{"action":"deleted","installation":{"id":1,"account":{"id":1}},"repositories":[{"id":1},null]}`))
	f.Add("pull_request_review_thread", []byte(`{"action":"resolved","thread":{"comments":[null]},"pull_request":{"number":1},"repository":{"id":1}}`))
	f.Add("check_run", []byte(`{"action":"rerequested","check_run":{"id":1,"external_id":"run_1","pull_requests":[null,{"number":1}],"app":null},"sender":{"login":"dev","id":2}}`))
	f.Add("check_suite", []byte(`{"action":"rerequested","check_suite":{"id":1,"head_sha":"abc","app":{"id":7}},"requested_action":null}`))
	f.Add("push", []byte(`{}`))
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		ev, err := Parse(Header{Event: event, Delivery: "d"}, body)
		if (err == nil) != (ev.Kind != "") {
			t.Fatalf("kind %q with error %v", ev.Kind, err)
		}
		if err == nil && (ev.Kind == codehost.KindIgnored) != (ev.Reason != "") {
			t.Fatalf("kind %q with reason %q", ev.Kind, ev.Reason)
		}
		if ev.Kind == codehost.KindPullRequest && (ev.PullRequest.Number <= 0 || ev.Repository.ExternalID == "" || ev.PullRequest.HeadSHA == "") {
			t.Fatalf("not whole: %+v", ev)
		}
		if ev.Kind == codehost.KindCheck && (ev.Check.ID == "" || len(ev.Check.Numbers) > maxNumbers) {
			t.Fatalf("beyond its bounds: %+v", ev.Check)
		}
	})
}
