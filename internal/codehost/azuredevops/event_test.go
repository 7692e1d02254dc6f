package azuredevops

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

const (
	repositoryGUID = "0000000c-0000-4000-8000-000000000047"
	headSHA        = "0123456789abcdef0123456789abcdef01234567"
)

// payload returns the body of an event, in the form of the samples of learn.microsoft.com/azure/devops/service-hooks/events.
func payload(event, resource string) []byte {
	return fmt.Appendf(nil, `{"subscriptionId":"0000000e-0000-4000-8000-000000000001","notificationId":7,"id":"00000011-0000-4000-8000-000000000009",
		"eventType":%q,"publisherId":"tfs","message":{"text":"x"},"resource":%s,"resourceVersion":"1.0","createdDate":"2026-11-01T10:00:00.5Z"}`, event, resource)
}

// pullJSON returns a pull request with changed members.
func pullJSON(more string) string {
	return `{"repository":{"id":"` + repositoryGUID + `","name":"a b","project":{"id":"0000000b-0000-4000-8000-000000000083","name":"Größe","visibility":"private"},
		"defaultBranch":"refs/heads/main","remoteUrl":"https://dev.azure.com/acme/Gr%C3%B6%C3%9Fe/_git/a%20b"},"pullRequestId":7,"status":"active",
		"createdBy":{"id":"0000000a-0000-4000-8000-00000000000b","uniqueName":"ann@contoso.test"},"creationDate":"2026-11-01T09:00:00Z","title":"T",
		"sourceRefName":"refs/heads/topic","targetRefName":"refs/heads/main","lastMergeSourceCommit":{"commitId":"` + headSHA + `"}` + more + `}`
}

func commentJSON(more string) string {
	return `{"comment":{"id":2,"parentCommentId":1,"author":{"id":"0000000a-0000-4000-8000-00000000000b","uniqueName":"ann@contoso.test"},"content":"/assay review",
		"publishedDate":"2026-11-01T09:00:00Z","lastContentUpdatedDate":"2026-11-01T09:00:00Z","commentType":"text",
		"_links":{"self":{"href":"https://dev.azure.com/acme/_apis/git/repositories/x/pullRequests/7/threads/5/comments/2"}}` + more + `},"pullRequest":` + pullJSON("") + `}`
}

func pushJSON(ref, to string) string {
	return `{"refUpdates":[{"name":"` + ref + `","oldObjectId":"x","newObjectId":"` + to + `"}],"repository":{"id":"` + repositoryGUID + `","name":"a b"}}`
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event, resource string
		kind            codehost.EventKind
		action, reason  string
	}{
		"opened":                     {eventCreated, pullJSON(""), codehost.KindPullRequest, "opened", ""},
		"pushed":                     {eventUpdated + "/" + pushed, pullJSON(""), codehost.KindPullRequest, codehost.ActionUpdated, ""},
		"changed, of a person":       {eventUpdated, pullJSON(""), codehost.KindPullRequest, codehost.ActionUpdated, ""},
		"abandoned":                  {eventUpdated + "/" + statusChanged, pullJSON(`,"status":"abandoned"`), codehost.KindPullRequest, "closed", ""},
		"completed":                  {eventUpdated, pullJSON(`,"status":"completed","closedDate":"2026-11-01T11:00:00Z"`), codehost.KindPullRequest, "closed", ""},
		"active again":               {eventUpdated + "/" + statusChanged, pullJSON(""), codehost.KindPullRequest, "reopened", ""},
		"reviewers":                  {eventUpdated + "/" + reviewersChanged, pullJSON(""), codehost.KindPullRequest, "review_requested", ""},
		"a vote":                     {eventUpdated + "/ReviewerVoteNotification", pullJSON(""), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a merge":                    {"git.pullrequest.merged", pullJSON(""), codehost.KindIgnored, "", codehost.ReasonUnusedEvent},
		"a push":                     {eventPush, pushJSON("refs/heads/release/1", headSHA), codehost.KindPush, "", ""},
		"a tag":                      {eventPush, pushJSON("refs/tags/v1", headSHA), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a deleted branch":           {eventPush, pushJSON("refs/heads/x", strings.Repeat("0", 40)), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"unknown":                    {"git.new.thing", `{}`, codehost.KindIgnored, "", codehost.ReasonUnknownEvent},
		"a comment":                  {eventComment, commentJSON(""), codehost.KindComment, "created", ""},
		"an edited comment":          {eventComment, commentJSON(`,"lastContentUpdatedDate":"2026-11-01T10:00:00Z"`), codehost.KindComment, "edited", ""},
		"a comment of the host":      {eventComment, commentJSON(`,"commentType":"system"`), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a build":                    {eventBuild, `{"id":3,"status":"completed","result":"failed","sourceVersion":"` + headSHA + `","definition":{"name":"ci"},"repository":{"id":"` + repositoryGUID + `","type":"TfsGit"}}`, codehost.KindCheck, "completed", ""},
		"a build of GitHub's":        {eventBuild, `{"id":3,"sourceVersion":"` + headSHA + `","repository":{"id":"acme/shop","type":"GitHub"}}`, codehost.KindIgnored, "", codehost.ReasonUnusedEvent},
		"a build in the older shape": {eventBuild, `{"id":3,"sourceGetVersion":"LG:refs/heads/main:` + headSHA + `"}`, codehost.KindIgnored, "", codehost.ReasonUnusedEvent},
	} {
		event, _, _ := strings.Cut(tc.event, "/")
		ev, err := Parse(tc.event, "d", payload(event, tc.resource))
		if err != nil || ev.Kind != tc.kind || ev.Action != tc.action || ev.Reason != tc.reason {
			t.Errorf("%s: %+v, %v", name, ev, err)
			continue
		}
		if ev.Kind == codehost.KindIgnored {
			continue
		}
		if ev.Repository == nil || ev.Repository.ExternalID != repositoryGUID {
			t.Errorf("%s: repository %+v", name, ev.Repository)
		}
		if ev.Kind == codehost.KindPush && !slices.Equal(ev.Branches, []string{"release/1"}) {
			t.Errorf("%s: branches %q", name, ev.Branches)
		}
		if p := ev.PullRequest; p != nil && (p.Number != 7 || p.Author != "" || p.HeadSHA != headSHA || ev.Repository.Owner != "acme/Größe" || ev.Repository.Name != "a b") {
			t.Errorf("%s: %+v in %+v", name, p, ev.Repository)
		}
		if c := ev.Comment; c != nil && (c.ID != "7.5.2" || !c.PlaceUnknown || c.Body != "/assay review" || c.Number != 7) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A build of a pull request runs on a merge commit; the event is about the head.
func TestABuildOfAPullRequest(t *testing.T) {
	t.Parallel()
	merge := strings.Repeat("e", 40)
	ev, err := Parse(eventBuild, "d", payload(eventBuild, `{"id":3,"result":"succeeded","sourceVersion":"`+merge+`","triggerInfo":{"pr.sourceSha":"`+headSHA+`","pr.number":"7"},"repository":{"id":"`+repositoryGUID+`"}}`))
	if err != nil || ev.Check.HeadSHA != headSHA || len(ev.Check.Numbers) != 1 || ev.Check.Numbers[0] != 7 || ev.Check.Conclusion != "success" {
		t.Errorf("%+v, %v", ev.Check, err)
	}
}

func TestBodiesThatAreNotOfTheirEvent(t *testing.T) {
	t.Parallel()
	deep := `{"a":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`
	for name, body := range map[string][]byte{
		"no JSON": []byte("x"), "a list": []byte("[]"), "nothing": nil, "too deep": []byte(deep), "too long": make([]byte, maxPayload+1),
		"without a resource":   payload(eventCreated, "null"),
		"without a number":     payload(eventCreated, `{"repository":{"id":"`+repositoryGUID+`"}}`),
		"without a repository": payload(eventCreated, `{"pullRequestId":7}`),
		"a wrong head":         payload(eventCreated, pullJSON(`,"lastMergeSourceCommit":{"commitId":"x"}`)),
		"another type":         payload(eventCreated, `{"pullRequestId":"7"}`),
	} {
		if ev, err := Parse(eventCreated, "d", body); !errors.Is(err, codehost.ErrPayload) || ev.PullRequest != nil {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
	}
	if ev, err := Parse(eventCreated, "d", payload(eventComment, commentJSON(""))); err != nil || ev.Reason != codehost.ReasonOtherEvent {
		t.Errorf("the body of another event: %+v, %v", ev, err)
	}
	noThread := strings.Replace(commentJSON(""), "/threads/5/", "/", 1)
	if _, err := Parse(eventComment, "d", payload(eventComment, noThread)); !errors.Is(err, codehost.ErrPayload) {
		t.Errorf("a comment without a thread: %v", err)
	}
}

func TestHeadersAndIdentity(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	h.Set(notificationHeader, pushed)
	h.Set("X-Assay-Secret", "se"+"cret")
	if got, err := ReadHeader(h); err != nil || !got.Proof || got.Filter != pushed {
		t.Errorf("%+v, %v", got, err)
	}
	event, delivery := Identify(h, payload(eventUpdated, "{}"))
	if event != eventUpdated+"/"+pushed || delivery != "00000011-0000-4000-8000-000000000009.0000000e-0000-4000-8000-000000000001" {
		t.Errorf("%q %q", event, delivery)
	}
	if event, _ := Identify(h, payload(eventCreated, "{}")); event != eventCreated {
		t.Errorf("a filter of another event: %q", event)
	}
	if event, delivery := Identify(h, []byte("{}")); event != "" || delivery != "" {
		t.Errorf("a body in another form: %q %q", event, delivery)
	}
	for _, bad := range []string{"a b", strings.Repeat("a", 61), "x\ny"} {
		h[notificationHeader] = []string{bad}
		if _, err := ReadHeader(h); err == nil || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	h[notificationHeader] = []string{"a", "b"}
	if _, err := ReadHeader(h); err == nil {
		t.Error("two filters are accepted")
	}
}

// The organisation is in the address for git, in each of its forms.
func TestOrganisations(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://dev.azure.com/acme/Pay/_git/api": "acme", "https://dev.azure.com/acme/_git/Pay": "acme",
		"https://ado.example.com/tfs/DefaultCollection/Pay/_git/api": "DefaultCollection", "https://acme.visualstudio.com/DefaultCollection/Pay/_git/api": "acme",
		"https://acme@dev.azure.com/acme/Pay/_git/api": "acme", "": "", "::": "",
	} {
		if got := organisationOf(repositoryRef{RemoteURL: address, Project: projectRef{Name: "Pay"}}); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, event := range []string{eventCreated, eventUpdated + "/" + pushed, eventComment, eventBuild, "git.push"} {
		name, _, _ := strings.Cut(event, "/")
		f.Add(event, payload(name, pullJSON("")))
		f.Add(event, payload(name, commentJSON("")))
		f.Add(event, []byte("{}"))
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		ev, err := Parse(event, "d", body)
		if err != nil && !errors.Is(err, codehost.ErrPayload) {
			t.Fatalf("%v", err)
		}
		if err == nil && ev.Kind != codehost.KindIgnored && (ev.Repository == nil || ev.Repository.ExternalID == "") {
			t.Fatalf("%+v", ev)
		}
		if _, err := json.Marshal(ev); err != nil {
			t.Fatal(err)
		}
		_, delivery := Identify(http.Header{}, body)
		if len(delivery) > 200 {
			t.Fatalf("an id of %d bytes", len(delivery))
		}
	})
}
