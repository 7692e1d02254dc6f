package gitlab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/testkit"
)

// The payloads of TestParse are written by hand after
// docs.gitlab.com/user/project/integrations/webhook_events and the types of the library. A push to a merge
// request is an update with oldrev in the library's types, but in no published example. None of this was
// compared with a running host.

const (
	headSHA = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7"
	about   = `"user":{"id":3,"username":"ann"},"project":{"id":5,"path_with_namespace":"octo/team/demo","default_branch":"main","visibility_level":0}`
)

func mrBody(action, attributes, changes string) string {
	return `{"object_kind":"merge_request",` + about + `,"object_attributes":{"iid":7,"title":"Halve","state":"opened","action":"` + action + `","author_id":3,"source_branch":"topic","target_branch":"main",
	 "source_project_id":5,"target_project_id":5,"updated_at":"2026-11-21 10:00:00 UTC","labels":[{"title":"x"}],"last_commit":{"id":"` + headSHA + `"}` + attributes + `},"changes":{` + changes + `}}`
}

func noteBody(attributes string) string {
	return `{"object_kind":"note",` + about + `,"object_attributes":{"id":12,"note":"/assay review","noteable_type":"MergeRequest","author_id":3,"discussion_id":"abc1"` + attributes + `},
	 "merge_request":{"iid":7,"title":"Halve","state":"opened","author_id":4,"source_project_id":5,"target_project_id":5}}`
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event, body  string
		kind, action string
		reason       string
		fails        bool
	}{
		"opened":              {"Merge Request Hook", mrBody("open", "", ""), "pull_request", "opened", "", false},
		"a push":              {"Merge Request Hook", mrBody("update", `,"oldrev":"abc"`, `"title":{"previous":"a","current":"b"}`), "pull_request", "synchronize", "", false},
		"no draft any more":   {"Merge Request Hook", mrBody("update", "", `"draft":{"previous":true,"current":false},"title":{"previous":"a","current":"b"}`), "pull_request", "ready_for_review", "", false},
		"no WIP any more":     {"Merge Request Hook", mrBody("update", "", `"work_in_progress":{"previous":true,"current":false}`), "pull_request", "ready_for_review", "", false},
		"a draft":             {"Merge Request Hook", mrBody("update", "", `"draft":{"previous":false,"current":true}`), "pull_request", "converted_to_draft", "", false},
		"a label":             {"Merge Request Hook", mrBody("update", "", `"labels":{"previous":[],"current":[{"title":"x"}]}`), "pull_request", "labeled", "", false},
		"a label less":        {"Merge Request Hook", mrBody("update", "", `"labels":{"previous":[{"title":"x"}],"current":[]}`), "ignored", "update", codehost.ReasonUnusedAction, false},
		"a reviewer":          {"Merge Request Hook", mrBody("update", "", `"reviewers":{"previous":[],"current":[{"id":9}]}`), "pull_request", "review_requested", "", false},
		"a title":             {"Merge Request Hook", mrBody("update", "", `"title":{"previous":"a","current":"b"}`), "pull_request", "edited", "", false},
		"nothing of use":      {"Merge Request Hook", mrBody("update", "", `"updated_at":{"previous":"a","current":"b"}`), "ignored", "update", codehost.ReasonUnusedAction, false},
		"merged":              {"Merge Request Hook", mrBody("merge", "", ""), "pull_request", "closed", "", false},
		"approved":            {"Merge Request Hook", mrBody("approved", "", ""), "review", "submitted", "", false},
		"approved no longer":  {"Merge Request Hook", mrBody("unapproved", "", ""), "review", "dismissed", "", false},
		"an unknown action":   {"Merge Request Hook", mrBody("unsettled", "", ""), "ignored", "unsettled", codehost.ReasonUnusedAction, false},
		"another body":        {"Merge Request Hook", noteBody(""), "ignored", "", codehost.ReasonOtherEvent, false},
		"no number":           {"Merge Request Hook", strings.Replace(mrBody("open", "", ""), `"iid":7`, `"iid":0`, 1), "", "", "", true},
		"no project":          {"Merge Request Hook", strings.Replace(mrBody("open", "", ""), `"project":{"id":5`, `"project":{"id":0`, 1), "", "", "", true},
		"no commit":           {"Merge Request Hook", strings.Replace(mrBody("open", "", ""), headSHA, "", 1), "", "", "", true},
		"a type that differs": {"Merge Request Hook", strings.Replace(mrBody("open", "", ""), `"iid":7`, `"iid":"7"`, 1), "", "", "", true},
		"a comment":           {"Note Hook", noteBody(`,"action":"create"`), "comment", "created", "", false},
		"a comment, older":    {"Note Hook", noteBody(""), "comment", "created", "", false},
		"a comment edited":    {"Note Hook", noteBody(`,"action":"update"`), "comment", "edited", "", false},
		"a system note":       {"Note Hook", noteBody(`,"system":true`), "ignored", "created", codehost.ReasonUnusedAction, false},
		"on an issue":         {"Note Hook", strings.Replace(noteBody(""), "MergeRequest", "Issue", 1), "ignored", "created", codehost.ReasonNotPullRequest, false},
		"a pipeline": {"Pipeline Hook", `{"object_kind":"pipeline",` + about + `,"object_attributes":{"id":31,"sha":"` + headSHA + `","status":"failed"},"merge_request":{"iid":7}}`,
			"check", "completed", "", false},
		"a pipeline that runs":       {"Pipeline Hook", `{"object_kind":"pipeline",` + about + `,"object_attributes":{"id":31,"status":"running"}}`, "check", "running", "", false},
		"a new project":              {"Project Hook", `{"event_name":"project_create","project_id":7,"path_with_namespace":"a/b/c","project_visibility":"private"}`, "repository", "created", "", false},
		"a deleted project":          {"Project Hook", `{"event_name":"project_destroy","project_id":7,"path_with_namespace":"a/b"}`, "repository", "deleted", "", false},
		"a project moves":            {"Project Hook", `{"event_name":"project_transfer","project_id":7,"path_with_namespace":"a/b"}`, "repository", "transferred", "", false},
		"a change of one":            {"Project Hook", `{"event_name":"project_update","project_id":7,"path_with_namespace":"a/b"}`, "ignored", "project_update", codehost.ReasonUnusedAction, false},
		"system hook":                {"System Hook", `{"event_name":"project_create","project_id":7,"path_with_namespace":"a/b","project_visibility":"private"}`, "repository", "created", "", false},
		"a new name in the instance": {"System Hook", `{"event_name":"project_rename","project_id":7,"path_with_namespace":"a/b"}`, "repository", "renamed", "", false},
		"a user there":               {"System Hook", `{"event_name":"user_create","user_id":7}`, "ignored", "", codehost.ReasonUnusedEvent, false},
		"a push there":               {"System Hook", `{"object_kind":"push","event_name":"project_create","project_id":7}`, "ignored", "", codehost.ReasonUnusedEvent, false},
		"a project without an id":    {"System Hook", `{"event_name":"project_create","path_with_namespace":"a/b"}`, "", "", "", true},
		"a job":                      {"Job Hook", `{"object_kind":"build"}`, "ignored", "", codehost.ReasonUnusedEvent, false},
		"a push to a branch":         {"Push Hook", pushBody("refs/heads/release/1", headSHA), "push", "", "", false},
		"a deleted branch":           {"Push Hook", pushBody("refs/heads/old", strings.Repeat("0", 40)), "ignored", "", codehost.ReasonUnusedAction, false},
		"a push of no project":       {"Push Hook", `{"object_kind":"push","ref":"refs/heads/main","after":"` + headSHA + `"}`, "", "", "", true},
		"a push without a branch":    {"Push Hook", `{"object_kind":"push",` + about + `}`, "", "", "", true},
		"a new event":                {"Surprise Hook", `{"a":1}`, "ignored", "", codehost.ReasonUnknownEvent, false},
		"no object":                  {"Push Hook", `[]`, "", "", "", true},
		"no JSON":                    {"Push Hook", `{`, "", "", "", true},
		"too deep":                   {"Push Hook", `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, "", "", "", true},
		"too large":                  {"Push Hook", `{"a":"` + strings.Repeat("x", maxPayload) + `"}`, "", "", "", true},
	} {
		ev, err := Parse(Header{Event: tc.event, Delivery: "d"}, []byte(tc.body))
		if (err != nil) != tc.fails || err != nil && !errors.Is(err, codehost.ErrPayload) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil && (string(ev.Kind) != tc.kind || ev.Action != tc.action || ev.Reason != tc.reason || ev.Name != tc.event || ev.Delivery != "d") {
			t.Errorf("%s: %+v", name, ev)
		}
		if name == "a push to a branch" && !slices.Equal(ev.Branches, []string{"release/1"}) {
			t.Errorf("%s: branches %q", name, ev.Branches)
		}
	}
}

func pushBody(ref, to string) string {
	return `{"object_kind":"push","event_name":"push","ref":"` + ref + `","after":"` + to + `",` + about + `}`
}

func TestFieldsOfAPayload(t *testing.T) {
	t.Parallel()
	ev, err := Parse(Header{Event: "Merge Request Hook"}, []byte(mrBody("open", "", "")))
	if err != nil {
		t.Fatal(err)
	}
	p := ev.PullRequest
	if p.Number != 7 || p.Title != "Halve" || !p.Open || p.Draft || p.FromFork || p.Author != "ann" || p.AuthorID != "3" || p.HeadSHA != headSHA || p.HeadRef != "topic" || p.BaseRef != "main" ||
		len(p.Labels) != 1 || p.UpdatedAt.Hour() != 10 || ev.Repository.Owner != "octo/team" || ev.Repository.Name != "demo" || !ev.Repository.Private || ev.Sender.Login != "ann" {
		t.Errorf("%+v of %+v by %+v", p, ev.Repository, ev.Sender)
	}
	for what, tc := range map[string]struct {
		attributes, id string
		inline         bool
	}{
		"in the conversation":     {"", "7.12", false},
		"in a thread":             {`,"type":"DiscussionNote"`, "7.12.abc1", false},
		"on lines":                {`,"type":"DiffNote","position":{"new_line":4}`, "7.12.abc1", true},
		"on lines, older version": {`,"original_position":{"new_line":4}`, "7.12.abc1", true},
	} {
		ev, err := Parse(Header{Event: "Note Hook"}, []byte(noteBody(tc.attributes)))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if c := ev.Comment; string(c.ID) != tc.id || c.Inline != tc.inline || c.Threaded != (tc.id == "7.12.abc1" && !tc.inline) || c.Number != 7 || c.Body != "/assay review" || c.Author != "ann" || !c.OnPullRequest || ev.PullRequest.AuthorID != "4" {
			t.Errorf("%s: %+v", what, c)
		}
	}
	other := strings.Replace(noteBody(`,"action":"update"`), `"author_id":3`, `"author_id":8`, 1)
	if ev, err := Parse(Header{Event: "Note Hook"}, []byte(other)); err != nil || ev.Comment.Author != "" || ev.Comment.AuthorID != "8" || ev.Sender.Login != "ann" {
		t.Errorf("an edit of another person's comment: %+v, %v", ev.Comment, err)
	}
	robot := strings.Replace(mrBody("open", "", ""), `"username":"ann"`, `"username":"group_131_bot_0a1b"`, 1)
	if ev, err := Parse(Header{Event: "Merge Request Hook"}, []byte(robot)); err != nil || !ev.Sender.IsBot {
		t.Errorf("a token's account: %+v, %v", ev.Sender, err)
	}
}

// examples maps each event to its published payload.
var examples = map[string]string{
	"merge_request": "Merge Request Hook", "note_merge_request": "Note Hook", "note_issue": "Note Hook", "note_commit": "Note Hook", "note_snippet": "Note Hook", "pipeline": "Pipeline Hook",
	"project": "Project Hook", "push": "Push Hook", "tag_push": "Tag Push Hook", "issue": "Issue Hook", "job": "Job Hook", "build": "Build Hook", "member": "Member Hook", "subgroup": "Subgroup Hook",
	"emoji_merge_request": "Emoji Hook", "release": "Release Hook", "deployment": "Deployment Hook", "wiki_page": "Wiki Page Hook", "resource_access_token_group": "Resource Access Token Hook",
	"group_merge_request": "Merge Request Hook", "service_merge_request": "Merge Request Hook", "emoji_issue": "Emoji Hook", "emoji_note_commit": "Emoji Hook", "emoji_note_issue": "Emoji Hook",
	"emoji_note_merge_request": "Emoji Hook", "emoji_note_snippet": "Emoji Hook", "emoji_snippet": "Emoji Hook", "feature_flag": "Feature Flag Hook", "milestone_group": "Milestone Hook",
	"milestone_project": "Milestone Hook", "resource_access_token_project": "Resource Access Token Hook", "vulnerability": "Vulnerability Hook",
}

// wantOfExamples has the expected results for the used examples.
var wantOfExamples = map[string]string{
	"merge_request": "pull_request opened 1", "note_merge_request": "comment created 1", "note_issue": "ignored not_pull_request", "note_commit": "ignored not_pull_request",
	"note_snippet": "ignored not_pull_request", "pipeline": "check completed 1", "project": "repository created", "push": "push ", "service_merge_request": "pull_request synchronize 2",
}

// unreadable lists the examples without a field that their event must have. The group's example has no
// number.
var unreadable = []string{"group_merge_request"}

func said(ev codehost.Event) string {
	switch {
	case ev.Kind == codehost.KindIgnored:
		return "ignored " + ev.Reason
	case ev.Check != nil:
		return fmt.Sprint(ev.Kind, " ", ev.Action, " ", ev.Check.Numbers[0])
	case ev.PullRequest != nil:
		return fmt.Sprint(ev.Kind, " ", ev.Action, " ", ev.PullRequest.Number)
	}
	return fmt.Sprint(ev.Kind, " ", ev.Action)
}

// Each published example is read as its own event, and ignored under the name of another event.
func TestPublishedPayloads(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(testkit.Contracts(t, "gitlab", "webhooks"))
	testkit.OK(t, err)
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".json"); examples[name] == "" {
			t.Errorf("%s is read by no test", f.Name())
		}
	}
	for file, event := range examples {
		body := testkit.Contract(t, "gitlab/webhooks/"+file+".json")
		ev, err := Parse(Header{Event: event, Delivery: "d"}, body)
		if slices.Contains(unreadable, file) {
			if !errors.Is(err, codehost.ErrPayload) {
				t.Errorf("%s: %+v, %v", file, ev, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want := wantOfExamples[file]
		if want == "" {
			want = "ignored " + codehost.ReasonUnusedEvent
		}
		if got := said(ev); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
		for other := range kinds {
			if other != event {
				if ev, err := Parse(Header{Event: other}, body); err != nil || ev.Kind != codehost.KindIgnored {
					t.Errorf("%s as %s: %+v, %v", file, other, ev, err)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, event := range []string{"Merge Request Hook", "Note Hook", "Pipeline Hook", "Project Hook", "Push Hook", "System Hook"} {
		for _, body := range []string{mrBody("update", `,"oldrev":"x"`, `"draft":{"previous":true,"current":false}`), noteBody(`,"type":"DiffNote"`), `{"object_kind":"pipeline"}`,
			pushBody("refs/heads/main", headSHA),
			`{"event_name":"project_create","project_id":1}`, `{}`} {
			f.Add(event, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		ev, err := Parse(Header{Event: event, Delivery: "d"}, body)
		if err != nil {
			if !errors.Is(err, codehost.ErrPayload) {
				t.Fatal(err)
			}
			return
		}
		switch ev.Kind {
		case codehost.KindPullRequest:
			if ev.PullRequest.Number <= 0 || ev.Repository.ExternalID == "" || ev.PullRequest.HeadSHA == "" {
				t.Fatalf("%+v", ev)
			}
		case codehost.KindComment:
			if _, err := parseNote("", ev.Comment.ID); err != nil || ev.Repository.ExternalID == "" {
				t.Fatalf("%+v: %v", ev.Comment, err)
			}
		case codehost.KindIgnored:
			if ev.Reason == "" {
				t.Fatalf("%+v", ev)
			}
		}
		if !json.Valid(body) {
			t.Fatal("a body that is not JSON was read")
		}
	})
}
