package gitea

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// The payloads of these tests are written by hand after modules/structs/hook.go and
// services/webhook/notifier.go of Gitea 1.26.4, because there are no published examples.

func deliveryHeader(prefix, event, kind string) http.Header {
	h := http.Header{}
	h.Set(prefix+"Event", event)
	h.Set(prefix+"Event-Type", kind)
	h.Set(prefix+"Delivery", "f6266f16-1bf3-46a5-9ea4-602e06ead473")
	return h
}

const (
	repoPart = `"repository":{"id":5,"name":"demo","full_name":"octo/demo","owner":{"id":1,"login":"octo"},"default_branch":"main","private":true,"archived":false},"sender":{"id":3,"login":"ann"}`
	pullPart = `"pull_request":{"id":70,"number":7,"title":"Halve","body":"b","state":"open","draft":false,"user":{"id":3,"login":"ann"},"labels":[{"name":"x"}],"merged":false,"merge_base":"` + baseSHA + `",
	 "head":{"label":"topic","ref":"topic","sha":"` + headSHA + `","repo_id":5},"base":{"label":"main","ref":"main","sha":"` + baseSHA + `","repo_id":5},"updated_at":"2026-11-21T10:00:00Z"}`
)

func pullEvent(action, more string) string {
	return `{"action":"` + action + `","number":7,` + more + pullPart + `,"requested_reviewer":null,` + repoPart + `,"commit_id":"","review":null}`
}

const commentPart = `"issue":{"number":7,"title":"Halve","state":"open","user":{"id":3,"login":"ann"},"pull_request":{"merged":false}},"comment":{"id":12,"body":"/assay review","user":{"id":1,"login":"octo"}}`

func TestParse(t *testing.T) {
	t.Parallel()
	draftTo := func(from, to string, draft bool) string {
		body := pullEvent("edited", `"changes":{"title":{"from":"`+from+`"}},`)
		body = strings.Replace(body, `"title":"Halve"`, `"title":"`+to+`"`, 1)
		if draft {
			body = strings.Replace(body, `"draft":false`, `"draft":true`, 1)
		}
		return body
	}
	for name, tc := range map[string]struct {
		event, body  string
		kind         codehost.EventKind
		action, left string // left: the reason, or the label
	}{
		"opened":                  {"pull_request", pullEvent("opened", ""), codehost.KindPullRequest, "opened", ""},
		"new commits":             {"pull_request", pullEvent("synchronized", ""), codehost.KindPullRequest, "synchronize", ""},
		"reopened":                {"pull_request", pullEvent("reopened", ""), codehost.KindPullRequest, "reopened", ""},
		"closed":                  {"pull_request", pullEvent("closed", ""), codehost.KindPullRequest, "closed", ""},
		"review requested":        {"pull_request", pullEvent("review_requested", ""), codehost.KindPullRequest, "review_requested", ""},
		"body edited":             {"pull_request", pullEvent("edited", `"changes":{"body":{"from":"x"}},`), codehost.KindIgnored, "edited", codehost.ReasonUnusedEdit},
		"title edited":            {"pull_request", draftTo("Half", "Halve", false), codehost.KindPullRequest, "edited", ""},
		"ready":                   {"pull_request", draftTo("WIP: Halve", "Halve", false), codehost.KindPullRequest, "ready_for_review", ""},
		"ready, other prefix":     {"pull_request", draftTo("Draft: Halve", "Halve", false), codehost.KindPullRequest, "ready_for_review", ""},
		"draft again":             {"pull_request", draftTo("Halve", "[WIP] Halve", false), codehost.KindPullRequest, "converted_to_draft", ""},
		"draft, other prefix":     {"pull_request", draftTo("Halve", "Draft: Halve", true), codehost.KindPullRequest, "converted_to_draft", ""},
		"draft stays":             {"pull_request", draftTo("WIP: Half", "WIP: Halve", true), codehost.KindPullRequest, "edited", ""},
		"label":                   {"pull_request", pullEvent("label_updated", `"changes":{"added_labels":[{"name":"review me"}],"removed_labels":[]},`), codehost.KindPullRequest, "labeled", "review me"},
		"labels":                  {"pull_request", pullEvent("label_updated", `"changes":{"added_labels":[{"name":"a"},{"name":"b"}]},`), codehost.KindPullRequest, "labeled", ""},
		"labels, not named":       {"pull_request", pullEvent("label_updated", ""), codehost.KindPullRequest, "labeled", ""},
		"label removed":           {"pull_request", pullEvent("label_updated", `"changes":{"added_labels":null,"removed_labels":[{"name":"a"}]},`), codehost.KindIgnored, "labeled", codehost.ReasonUnusedAction},
		"assigned":                {"pull_request", pullEvent("assigned", ""), codehost.KindIgnored, "assigned", codehost.ReasonUnusedAction},
		"approved":                {"pull_request_approved", strings.Replace(pullEvent("reviewed", ""), `"review":null`, `"review":{"type":"pull_request_review_approved","content":"fine"}`, 1), codehost.KindReview, "submitted", ""},
		"review":                  {"pull_request_comment", strings.Replace(pullEvent("reviewed", ""), `"review":null`, `"review":{"type":"pull_request_review_comment","content":"hm"}`, 1), codehost.KindReview, "submitted", ""},
		"comment":                 {"issue_comment", `{"action":"created",` + commentPart + `,` + pullPart + `,` + repoPart + `,"is_pull":true}`, codehost.KindComment, "created", ""},
		"comment edited":          {"issue_comment", `{"action":"edited",` + commentPart + `,` + repoPart + `,"is_pull":true}`, codehost.KindComment, "edited", ""},
		"comment deleted":         {"issue_comment", `{"action":"deleted",` + commentPart + `,` + repoPart + `,"is_pull":true}`, codehost.KindIgnored, "deleted", codehost.ReasonUnusedAction},
		"comment on an issue":     {"issue_comment", `{"action":"created","issue":{"number":1},"comment":{"id":12},` + repoPart + `,"is_pull":false}`, codehost.KindIgnored, "created", codehost.ReasonNotPullRequest},
		"repository deleted":      {"repository", `{"action":"deleted",` + repoPart + `,"organization":{"id":1}}`, codehost.KindRepository, "deleted", ""},
		"status":                  {"status", `{"id":4,"sha":"` + headSHA + `","state":"failure","context":"ci","commit":{"id":"x"},` + repoPart + `}`, codehost.KindCheck, "completed", ""},
		"a status that waits":     {"status", `{"id":4,"sha":"` + headSHA + `","state":"pending","context":"ci",` + repoPart + `}`, codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a job":                   {"workflow_job", `{"action":"completed","workflow_job":{"id":5,"name":"test","head_sha":"` + headSHA + `","conclusion":"failure"},` + repoPart + `}`, codehost.KindCheck, "completed", ""},
		"a job that waits":        {"workflow_job", `{"action":"queued","workflow_job":{"id":5},` + repoPart + `}`, codehost.KindIgnored, "queued", codehost.ReasonUnusedAction},
		"a push":                  {"push", pushBody("refs/heads/release/1", headSHA), codehost.KindPush, "", "release/1"},
		"a tag":                   {"push", pushBody("refs/tags/v1", headSHA), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a new branch's body":     {"push", `{"ref":"x","ref_type":"branch",` + repoPart + `}`, codehost.KindIgnored, "", codehost.ReasonOtherEvent},
		"new event":               {"planet", `{}`, codehost.KindIgnored, "", codehost.ReasonUnknownEvent},
		"a release's body":        {"repository", `{"action":"deleted","release":{"id":1},` + repoPart + `}`, codehost.KindIgnored, "deleted", codehost.ReasonOtherEvent},
		"a wiki page's body":      {"repository", `{"action":"deleted","page":"Home",` + repoPart + `}`, codehost.KindIgnored, "deleted", codehost.ReasonOtherEvent},
		"a comment's body":        {"pull_request", `{"action":"edited",` + commentPart + `,` + pullPart + `,` + repoPart + `,"is_pull":true}`, codehost.KindIgnored, "edited", codehost.ReasonOtherEvent},
		"a review's body":         {"pull_request", strings.Replace(pullEvent("opened", ""), `"review":null`, `"review":{"content":"x"}`, 1), codehost.KindIgnored, "opened", codehost.ReasonOtherEvent},
		"a pull request's body":   {"repository", pullEvent("closed", ""), codehost.KindIgnored, "closed", codehost.ReasonOtherEvent},
		"a pull request reviewed": {"pull_request", pullEvent("reviewed", ""), codehost.KindIgnored, "reviewed", codehost.ReasonUnusedAction},
	} {
		for kind, prefix := range map[domain.ConnectionKind]string{domain.Gitea: "X-Gitea-", domain.Forgejo: "X-Forgejo-"} {
			ev, err := readAndParse(kind, deliveryHeader(prefix, tc.event, ""), []byte(tc.body))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			left := ev.Label + strings.Join(ev.Branches, " ")
			if ev.Kind == codehost.KindIgnored {
				left = ev.Reason
			}
			if ev.Kind != tc.kind || ev.Action != tc.action || left != tc.left || ev.Name != tc.event || ev.Delivery == "" {
				t.Errorf("%s: %s %s %q, want %s %s %q", name, ev.Kind, ev.Action, left, tc.kind, tc.action, tc.left)
			}
		}
	}
}

func pushBody(ref, to string) string {
	return `{"ref":"` + ref + `","before":"x","after":"` + to + `","commits":[],"head_commit":null,"pusher":{"id":1},` + repoPart + `}`
}

func TestParsedPullRequest(t *testing.T) {
	t.Parallel()
	ev, err := readAndParse(domain.Gitea, deliveryHeader("X-Gitea-", "pull_request", "pull_request"), []byte(strings.Replace(pullEvent("opened", ""), `"user":{"id":3`, `"user":{"id":1`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	p := ev.PullRequest
	if p.Number != 7 || p.HeadSHA != headSHA || p.BaseSHA != baseSHA || p.HeadRef != "topic" || p.FromFork || !p.Open || p.Draft || p.AuthorID != "1" ||
		p.Association != codehost.AssociationOwner || p.UpdatedAt.IsZero() || len(p.Labels) != 1 {
		t.Errorf("%+v", p)
	}
	if r := ev.Repository; r.ExternalID != "5" || r.Owner != "octo" || r.Name != "demo" || !r.Private || ev.Sender.Login != "ann" || ev.Sender.ID != "3" || ev.Sender.IsBot {
		t.Errorf("%+v, %+v", r, ev.Sender)
	}
	for name, change := range map[string][2]string{
		"another repository": {`"sha":"` + headSHA + `","repo_id":5`, `"sha":"` + headSHA + `","repo_id":6`},
		"a deleted fork":     {`"sha":"` + headSHA + `","repo_id":5`, `"sha":"` + headSHA + `","repo_id":-1`},
		"pushed for review":  {`"label":"topic"`, `"label":""`},
	} {
		ev, err := readAndParse(domain.Gitea, deliveryHeader("X-Gitea-", "pull_request", ""), []byte(strings.Replace(pullEvent("opened", ""), change[0], change[1], 1)))
		if err != nil || !ev.PullRequest.FromFork || ev.PullRequest.Branchless != (name == "pushed for review") {
			t.Errorf("%s: %v, %+v", name, err, ev.PullRequest)
		}
	}
	ev, err = readAndParse(domain.Gitea, deliveryHeader("X-Gitea-", "issue_comment", "pull_request_comment"), []byte(`{"action":"created",`+commentPart+`,`+repoPart+`,"is_pull":true}`))
	if c := ev.Comment; err != nil || c.ID != "12" || c.Body != "/assay review" || c.Author != "octo" || c.AuthorID != "1" || c.Association != codehost.AssociationOwner || c.Number != 7 || ev.PullRequest.Author != "ann" {
		t.Errorf("%+v, %v", ev.Comment, err)
	}
}

func TestBadPayloads(t *testing.T) {
	t.Parallel()
	good := deliveryHeader("X-Gitea-", "pull_request", "pull_request")
	twice := deliveryHeader("X-Gitea-", "pull_request", "")
	twice.Add("X-Gitea-Event", "repository")
	for name, tc := range map[string]struct {
		header http.Header
		body   string
	}{
		"empty":                {good, ""},
		"a list":               {good, "[]"},
		"not JSON":             {good, "{"},
		"no pull request":      {good, `{"action":"opened",` + repoPart + `}`},
		"no repository":        {good, `{"action":"opened",` + pullPart + `}`},
		"no head":              {good, strings.Replace(pullEvent("opened", ""), headSHA, "", 1)},
		"wrong types":          {good, `{"action":7}`},
		"sender is text":       {good, strings.Replace(pullEvent("opened", ""), `"sender":{`, `"sender":"x","s":{`, 1)},
		"too deep":             {deliveryHeader("X-Gitea-", "push", ""), `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`},
		"too large":            {good, `{"a":"` + strings.Repeat("x", maxPayload) + `"}`},
		"no event":             {http.Header{}, pullEvent("opened", "")},
		"two events":           {twice, pullEvent("opened", "")},
		"GitHub's headers":     {http.Header{"X-Github-Event": {"pull_request"}, "X-Github-Delivery": {"d"}}, pullEvent("opened", "")},
		"Forgejo's headers":    {deliveryHeader("X-Forgejo-", "pull_request", ""), pullEvent("opened", "")},
		"repository, no id":    {deliveryHeader("X-Gitea-", "repository", ""), `{"action":"deleted","repository":{}}`},
		"comment without id":   {deliveryHeader("X-Gitea-", "issue_comment", ""), `{"action":"created","comment":{},"issue":{"number":1},"is_pull":true,` + repoPart + `}`},
		"review without words": {deliveryHeader("X-Gitea-", "pull_request_comment", ""), pullEvent("reviewed", "")},
	} {
		ev, err := readAndParse(domain.Gitea, tc.header, []byte(tc.body))
		if !errors.Is(err, codehost.ErrPayload) || ev.Kind != "" {
			t.Errorf("%s: %v, %s", name, err, ev.Kind)
		}
	}
	if ev, err := readAndParse(domain.Gitea, deliveryHeader("X-Gitea-", "fork", ""), []byte(`{"a":`+strings.Repeat("[", maxDepth-1)+strings.Repeat("]", maxDepth-1)+`}`)); err != nil || ev.Kind != codehost.KindIgnored {
		t.Errorf("the maximum depth: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pull_request", []byte(pullEvent("opened", "")))
	f.Add("pull_request", []byte(pullEvent("edited", `"changes":{"title":{"from":"WIP: Halve"}},`)))
	f.Add("pull_request_comment", []byte(strings.Replace(pullEvent("reviewed", ""), `"review":null`, `"review":{"content":"hm"}`, 1)))
	f.Add("issue_comment", []byte(`{"action":"created",`+commentPart+`,`+repoPart+`,"is_pull":true}`))
	f.Add("repository", []byte(`{"action":"deleted",`+repoPart+`}`))
	f.Add("push", []byte(pushBody("refs/heads/main", headSHA)))
	f.Add("push", []byte(`{"a":"\"[{","b":[[]]}`))
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		ev, err := readAndParse(domain.Forgejo, deliveryHeader("X-Gitea-", event, ""), body)
		if (err == nil) != (ev.Kind != "") || err != nil && !errors.Is(err, codehost.ErrPayload) {
			t.Fatalf("kind %q with error %v", ev.Kind, err)
		}
		if err == nil && (ev.Kind == codehost.KindIgnored) != (ev.Reason != "") {
			t.Fatalf("kind %q with reason %q", ev.Kind, ev.Reason)
		}
		if ev.Kind == codehost.KindPullRequest && (ev.PullRequest.Number <= 0 || ev.Repository.ExternalID == "" || ev.PullRequest.HeadSHA == "") {
			t.Fatalf("not whole: %+v", ev)
		}
		if ev.Kind == codehost.KindComment && (ev.Comment.ID == "" || ev.Comment.Number <= 0 || !ev.Comment.OnPullRequest) {
			t.Fatalf("not whole: %+v", ev.Comment)
		}
	})
}

// readAndParse reads and parses a delivery.
func readAndParse(kind domain.ConnectionKind, header http.Header, body []byte) (codehost.Event, error) {
	h, err := ReadHeader(kind, header)
	if err != nil {
		return codehost.Event{}, fmt.Errorf("%w: %w", codehost.ErrPayload, err)
	}
	return Parse(h, body)
}
