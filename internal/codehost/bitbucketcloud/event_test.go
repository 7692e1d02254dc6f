package bitbucketcloud

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// The payloads of these tests are written by hand after support.atlassian.com/bitbucket-cloud/docs/event-payloads.

const (
	actorPart = `"actor":{"type":"user","uuid":"{0c0c0c0c-1111-4222-8333-444444444444}","nickname":"Ann Lee","display_name":"Ann","account_id":"557058:x"}`
	repoPart  = `"repository":{"type":"repository","uuid":"{` + repoID + `}","full_name":"octo/demo","name":"Demo","is_private":true,"workspace":{"uuid":"{0d0d0d0d-1111-4222-8333-444444444444}","slug":"octo"}}`
	pullPart  = `"pullrequest":{"id":7,"title":"Halve","description":"b","state":"OPEN","draft":false,"author":{"type":"user","uuid":"{0c0c0c0c-1111-4222-8333-444444444444}","nickname":"Ann Lee"},
	 "source":{"branch":{"name":"topic"},"commit":{"hash":"111111111111"},"repository":{"uuid":"{` + repoID + `}","full_name":"octo/demo"}},
	 "destination":{"branch":{"name":"main"},"commit":{"hash":"222222222222"},"repository":{"uuid":"{` + repoID + `}","full_name":"octo/demo"}},
	 "reviewers":[],"participants":[],"links":{"html":{"href":"https://bitbucket.org/octo/demo/pull-requests/7"}},"updated_on":"2026-11-21T10:00:00.123456+00:00"}`
)

func body(parts ...string) string {
	return "{" + strings.Join(append(parts, actorPart, repoPart), ",") + "}"
}

func commentPart(more string) string {
	return `"comment":{"id":12,"content":{"raw":"/assay review"},"user":{"type":"user","uuid":"{0c0c0c0c-1111-4222-8333-444444444444}","nickname":"Ann Lee"}` + more + `}`
}

func statusPart(state string) string {
	return `"commit_status":{"key":"ci","name":"CI","state":"` + state + `","url":"https://ci.example/1","commit":{"hash":"` + headSHA + `"}}`
}

func pushPart(tips ...string) string {
	return `"push":{"changes":[{"new":` + strings.Join(tips, `},{"new":`) + `}]}`
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event, body  string
		kind         codehost.EventKind
		action, left string // left: the reason, the state, or the conclusion
	}{
		"opened":                {"pullrequest:created", body(pullPart), codehost.KindPullRequest, "opened", ""},
		"updated":               {"pullrequest:updated", body(pullPart), codehost.KindPullRequest, codehost.ActionUpdated, ""},
		"pushed":                {"pullrequest:push", body(pullPart), codehost.KindPullRequest, codehost.ActionUpdated, ""},
		"merged":                {"pullrequest:fulfilled", body(strings.Replace(pullPart, "OPEN", "MERGED", 1)), codehost.KindPullRequest, "closed", ""},
		"declined":              {"pullrequest:rejected", body(strings.Replace(pullPart, "OPEN", "DECLINED", 1)), codehost.KindPullRequest, "closed", ""},
		"approved":              {"pullrequest:approved", body(pullPart), codehost.KindReview, "submitted", "approved"},
		"approval withdrawn":    {"pullrequest:unapproved", body(pullPart), codehost.KindReview, "dismissed", "dismissed"},
		"changes requested":     {"pullrequest:changes_request_created", body(pullPart), codehost.KindReview, "submitted", "changes_requested"},
		"no changes requested":  {"pullrequest:changes_request_removed", body(pullPart), codehost.KindReview, "dismissed", "dismissed"},
		"comment":               {"pullrequest:comment_created", body(pullPart, commentPart("")), codehost.KindComment, "created", ""},
		"comment edited":        {"pullrequest:comment_updated", body(pullPart, commentPart("")), codehost.KindComment, "edited", ""},
		"comment deleted":       {"pullrequest:comment_deleted", body(pullPart, commentPart("")), codehost.KindIgnored, "", codehost.ReasonUnusedEvent},
		"thread closed":         {"pullrequest:comment_resolved", body(pullPart, commentPart("")), codehost.KindReviewThread, "resolved", "resolved"},
		"thread opened again":   {"pullrequest:comment_reopened", body(pullPart, commentPart("")), codehost.KindReviewThread, "unresolved", "unresolved"},
		"a build fails":         {"repo:commit_status_updated", body(statusPart("FAILED")), codehost.KindCheck, "completed", "failure"},
		"a build begins":        {"repo:commit_status_created", body(statusPart("INPROGRESS")), codehost.KindCheck, "inprogress", ""},
		"a build was stopped":   {"repo:commit_status_updated", body(statusPart("STOPPED")), codehost.KindCheck, "completed", "cancelled"},
		"a new repository":      {"repo:created", body(), codehost.KindRepository, "created", ""},
		"renamed":               {"repo:updated", body(`"changes":{"full_name":{"old":"octo/x","new":"octo/demo"}}`), codehost.KindRepository, "renamed", ""},
		"another description":   {"repo:updated", body(`"changes":{"description":{"old":"","new":"x"}}`), codehost.KindRepository, "edited", ""},
		"transferred":           {"repo:transfer", body(), codehost.KindRepository, "transferred", ""},
		"a deleted repository":  {"repo:deleted", body(), codehost.KindRepository, "deleted", ""},
		"a push":                {"repo:push", body(pushPart(`null`, `{"type":"branch","name":"release/1","target":{"hash":"`+headSHA+`"}}`)), codehost.KindPush, "", "release/1"},
		"a tag":                 {"repo:push", body(pushPart(`{"type":"tag","name":"v1","target":{"hash":"` + headSHA + `"}}`)), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"a deleted branch":      {"repo:push", body(pushPart(`null`)), codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"an event of next year": {"pullrequest:merged_by_robot", body(), codehost.KindIgnored, "", codehost.ReasonUnknownEvent},
	} {
		ev, err := Parse(Header{Event: tc.event, Delivery: "d"}, []byte(tc.body))
		left := ev.Reason
		if ev.Review != nil {
			left = ev.Review.State
		}
		if ev.Check != nil {
			left = ev.Check.Conclusion
		}
		if ev.Branches != nil {
			left = strings.Join(ev.Branches, " ")
		}
		if err != nil || ev.Kind != tc.kind || ev.Action != tc.action || left != tc.left || ev.Name != tc.event || ev.Delivery != "d" {
			t.Errorf("%s: %+v, left %q, %v", name, ev, left, err)
		}
		if tc.kind != codehost.KindIgnored && (ev.Repository == nil || ev.Repository.ExternalID != repoID || ev.Repository.Owner != "octo" || ev.Repository.Name != "demo" ||
			!ev.Repository.Private || ev.Sender.Login != "Ann Lee" || ev.Sender.IsBot) {
			t.Errorf("%s: common parts %+v, %+v", name, ev.Repository, ev.Sender)
		}
		if pr := ev.PullRequest; tc.kind == codehost.KindPullRequest && (pr.Number != 7 || pr.HeadSHA != "111111111111" || pr.Author != "" || pr.BaseRef != "main" || pr.FromFork) {
			t.Errorf("%s: %+v", name, pr)
		}
		kind, reason := KindOf(codehost.DeliveryWords{Event: tc.event})
		if kind != codehost.KindPush && ((kind == codehost.KindIgnored) != (ev.Kind == codehost.KindIgnored) || reason != ev.Reason) {
			t.Errorf("%s: the words alone give %s, %q", name, kind, reason)
		}
	}
	full, err := Parse(Header{Event: "pullrequest:created"}, []byte(body(strings.NewReplacer("111111111111", headSHA, "222222222222", baseSHA).Replace(pullPart))))
	if err != nil || full.PullRequest.Author != "Ann Lee" || full.PullRequest.HeadSHA != headSHA {
		t.Errorf("full ids: %+v, %v", full.PullRequest, err)
	}
}

func TestParseComments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more string
		want codehost.EventComment
	}{
		"of the conversation": {"", codehost.EventComment{}},
		"on a line":           {`,"inline":{"path":"a.go","to":4,"from":null}`, codehost.EventComment{Inline: true}},
		"an answer":           {`,"parent":{"id":9}`, codehost.EventComment{InReplyTo: "7.9", Threaded: true, PlaceUnknown: true}},
		"an answer on a line": {`,"parent":{"id":9},"inline":{"path":"a.go","to":4}`, codehost.EventComment{InReplyTo: "7.9", Inline: true}},
	} {
		ev, err := Parse(Header{Event: "pullrequest:comment_created"}, []byte(body(pullPart, commentPart(tc.more))))
		tc.want.ID, tc.want.Body, tc.want.Author, tc.want.AuthorID, tc.want.OnPullRequest, tc.want.Number = "7.12", "/assay review", "Ann Lee", "0c0c0c0c-1111-4222-8333-444444444444", true, 7
		if err != nil || *ev.Comment != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", name, ev.Comment, err, tc.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const event = "pullrequest:created"
	for name, tc := range map[string]struct{ event, body, want string }{
		"no object":             {event, `[]`, "JSON object"},
		"no JSON":               {event, `{"a":`, "valid JSON"},
		"too large":             {event, `{"a":"` + strings.Repeat("x", maxPayload) + `"}`, "larger"},
		"too deep":              {event, `{"a":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`, "nested"},
		"no repository":         {event, `{` + pullPart + `}`, "repository.uuid is missing"},
		"a repository of text":  {event, `{"repository":"x",` + pullPart + `}`, "repository has not the documented types"},
		"an odd UUID":           {event, `{"repository":{"uuid":"{../x}"},` + pullPart + `}`, "repository.uuid is missing"},
		"no pull request":       {event, body(), "pullrequest.id is missing"},
		"no head":               {event, body(strings.Replace(pullPart, "111111111111", "", 1)), "source.commit.hash is missing"},
		"a head of words":       {event, body(strings.Replace(pullPart, "111111111111", "main", 1)), "source.commit.hash is missing"},
		"a negative number":     {event, body(strings.Replace(pullPart, `"id":7`, `"id":-7`, 1)), "pullrequest.id is missing"},
		"no comment":            {"pullrequest:comment_created", body(pullPart), "comment.id is missing"},
		"a comment of a number": {"pullrequest:comment_created", body(pullPart, `"comment":5`), "comment has not"},
		"no status":             {"repo:commit_status_created", body(), "commit_status.key is missing"},
		"a push of nothing":     {"repo:push", body(`"push":{"changes":[]}`), "changed references is missing"},
		"changes of text":       {"repo:updated", body(`"changes":"x"`), "changes has not"},
	} {
		ev, err := Parse(Header{Event: tc.event}, []byte(tc.body))
		if !errors.Is(err, codehost.ErrPayload) || !strings.Contains(err.Error(), tc.want) || ev.Kind != "" || ev.Repository != nil {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
	}
	if ev, err := Parse(Header{Event: "repo:fork"}, []byte(`{"repository":5,"pullrequest":[]}`)); err != nil || ev.Kind != codehost.KindIgnored {
		t.Errorf("an unused event of another shape: %+v, %v", ev, err)
	}
}

func FuzzParse(f *testing.F) {
	for event := range kinds {
		f.Add(event, body(pullPart, commentPart(`,"inline":{"path":"a","to":1}`), statusPart("FAILED"), `"changes":{"name":{"new":"x"}}`))
	}
	f.Add("pullrequest:created", `{"repository":{"uuid":"{1}"},"pullrequest":{"id":1e3}}`)
	f.Fuzz(func(t *testing.T, event, raw string) {
		ev, err := Parse(Header{Event: event}, []byte(raw))
		switch {
		case err != nil && (!errors.Is(err, codehost.ErrPayload) || ev.Kind != ""):
			t.Fatalf("%+v, %v", ev, err)
		case err == nil && ev.Kind == "":
			t.Fatal("an event without a kind")
		case err == nil && ev.Kind != codehost.KindIgnored && (ev.Repository == nil || ev.Repository.ExternalID == ""):
			t.Fatalf("no repository: %+v", ev)
		case ev.Kind == codehost.KindComment && (ev.Comment == nil || ev.Comment.Number <= 0 || strings.Contains(fmt.Sprint(ev.Comment.ID), "-")):
			t.Fatalf("comment %+v", ev.Comment)
		}
		_ = RepositoryOf([]byte(raw))
	})
}
