package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAssistantsReadReviews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		o := newOffice(t, s)
		o.reviewed("A nil map is written to", "shop/cart.go")
		c := o.assistant(o.caller(o.mona), nil)
		place := o.Repository.Owner + "/" + strings.ToUpper(o.Repository.Name)

		got, text := o.tool(c, "list_repositories", nil)
		list := structured[struct{ Items []struct{ ID, Role string } }](t, got)
		if len(list.Items) != 1 || list.Items[0].ID != o.Repository.ID || list.Items[0].Role != "view" || !strings.Contains(text, "no instructions") {
			t.Errorf("repositories: %+v %s", list, text)
		}
		got, text = o.tool(c, "get_review", map[string]any{"repository": place, "pullRequest": o.Run.Number})
		review := structured[struct {
			Run      string
			Findings []struct{ ID, Title, Path string }
		}](t, got)
		if review.Run != o.Run.ID || len(review.Findings) != 1 || review.Findings[0].Title != "A nil map is written to" || !strings.Contains(text, "A nil map") {
			t.Fatalf("review: %+v %s", review, text)
		}
		got, _ = o.tool(c, "list_findings", map[string]any{"repository": o.Repository.ID, "path": "shop/cart.go"})
		found := structured[struct{ Items []struct{ ID string } }](t, got)
		testkit.Require(t, "findings", len(found.Items), 1)
		got, _ = o.tool(c, "list_findings", map[string]any{"repository": o.Repository.ID, "state": "dismissed"})
		testkit.Equal(t, "dismissed ones", len(structured[struct{ Items []any }](t, got).Items), 0)
		got, text = o.tool(c, "explain_finding", map[string]any{"repository": place, "finding": found.Items[0].ID})
		if e := structured[struct{ Sightings []any }](t, got); len(e.Sightings) != 1 || !strings.Contains(text, "shop/cart.go:3") {
			t.Errorf("explained: %+v %s", e, text)
		}

		resource, err := c.ReadResource(bg, &mcp.ReadResourceParams{URI: "assay://repositories/" + o.Repository.ID + "/reviews/" + o.Run.ID})
		testkit.OK(t, err)
		testkit.Equal(t, "cache scope of a review", resource.CacheScope, "private")
		offered, err := c.ListTools(bg, nil)
		testkit.OK(t, err)
		testkit.Equal(t, "cache scope of the list of tools", offered.CacheScope, "private")
		if !strings.Contains(resource.Contents[0].Text, "A nil map") || resource.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("resource: %+v", resource.Contents[0])
		}
		prompt, err := c.GetPrompt(bg, &mcp.GetPromptParams{Name: "fix_these_findings", Arguments: map[string]string{"repository": place, "pullRequest": "7"}})
		testkit.OK(t, err)
		if !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, place) {
			t.Errorf("prompt: %+v", prompt)
		}
		said := ""
		for _, v := range o.log() {
			said += v.Kind + " " + v.Name + " " + v.Outcome + "; "
			if v.FinishedAt == nil || v.UserID != o.mona || v.Kind != "prompt" && v.Name != "list_repositories" && v.RepositoryID != o.Repository.ID {
				t.Errorf("call: %+v", v)
			}
		}
		testkit.Equal(t, "log", said, "tool list_repositories ok; tool get_review ok; tool list_findings ok; tool list_findings ok; tool explain_finding ok; resource review ok; prompt fix_these_findings ok; ")
	})
}

// A tool's text never suggests a tool that the caller does not have.
func TestToolsNameNoOthers(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	o.offer(o.Tenant, false, "list_findings")
	o.reviewed("A nil map is written to", "shop/cart.go")
	c := o.assistant(o.caller(o.mona), nil)
	if _, text := o.tool(c, "list_findings", map[string]any{"repository": o.Repository.ID}); !strings.HasPrefix(text, "1 finding.\n") {
		t.Errorf("it says %q", text)
	}
}

// An assistant sees the decisions of people about a finding.
func TestAssistantsHearWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		o := newOffice(t, s)
		f := o.reviewed("A nil map is written to", "shop/cart.go")
		decision := approval.Dismissal{Finding: f.ID, Reason: "the caller checks it", UserID: o.olga, Name: "olga"}
		_, err := o.Features.Approvals.Dismiss(bg, o.Tenant, o.Repository, decision)
		testkit.OK(t, err)
		_, err = o.Features.Approvals.Reopen(bg, o.Tenant, o.Repository, decision)
		testkit.OK(t, err)
		want, err := o.Features.Approvals.Decisions(bg, o.Tenant, o.Repository.ID, f.ID)
		testkit.OK(t, err)
		got, text := o.tool(o.assistant(o.caller(o.mona), nil), "explain_finding", map[string]any{"repository": o.Repository.ID, "finding": f.ID})
		decided := structured[struct {
			Decisions []struct{ Kind, State, Why, At string }
		}](t, got).Decisions
		testkit.Require(t, "decisions", len(want), 3)
		testkit.Require(t, "decisions that an assistant gets", len(decided), 3)
		for i, d := range decided {
			if v := want[i]; d.Kind != v.Kind || d.State != v.State || d.Why != v.Why || (d.At == "") != (v.AtUS == 0) {
				t.Errorf("an assistant gets %+v, want %+v", d, v)
			}
		}
		if decided[1].Why != "the caller checks it" || !strings.Contains(text, "Decided (dismissal): dismissed") || !strings.Contains(text, "the caller checks it") {
			t.Errorf("an assistant gets %+v, and the text %s", decided, text)
		}
	})
}

func TestAssistantsSearchCode(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	key := "AKIA" + "Q3EGRIOZ4KLM5XYZ"
	o.code(map[string]string{"shop/cart.go": "package shop\n\n// Total adds up.\nfunc (c Cart) Total() int { return sum(c) }\n", "shop/pay.go": "package shop\n\nvar x = cart.Total()\nvar key = \"" + key + "\"\n",
		"web/pay.ts": "const Total = 1 // \u202eevil\nTotals()\n"})
	o.service.Scan = func(text string) string { return strings.ReplaceAll(text, key, "[secret]") }
	c := o.assistant(o.caller(o.mona, "code:read"), nil)
	testkit.Equal(t, "tools", names(t, c), "search_code")
	for _, tc := range []struct{ by, value, paths, want string }{
		{"symbol", "Total", "", "shop/cart.go:4! web/pay.ts:1! shop/cart.go:3 shop/pay.go:3"},
		{"text", "Total()", "", "shop/cart.go:4 shop/pay.go:3"},
		{"text", "Total", "*.ts", "web/pay.ts:1 web/pay.ts:2"},
		{"expression", `^var \w+`, "shop/**", "shop/pay.go:3 shop/pay.go:4"},
		{"text", "nowhere", "", ""},
	} {
		args := map[string]any{"repository": o.Repository.ID, tc.by: tc.value}
		if tc.paths != "" {
			args["paths"] = tc.paths
		}
		got, text := o.tool(c, "search_code", args)
		var hits []string
		for _, h := range structured[struct {
			Items []struct {
				Path       string
				Line       int
				Definition bool
			}
		}](t, got).Items {
			mark := ""
			if h.Definition {
				mark = "!"
			}
			hits = append(hits, fmt.Sprintf("%s:%d%s", h.Path, h.Line, mark))
		}
		testkit.Equal(t, tc.by+" "+tc.value, strings.Join(hits, " "), tc.want)
		if strings.Contains(text, key) || strings.Contains(text, "\u202e") {
			t.Errorf("%s shows hidden text: %s", tc.value, text)
		}
	}
	for what, args := range map[string]map[string]any{
		"must be given": {"text": "a", "symbol": "b"}, "one of the four": {}, "RE2": {"expression": "("}, "fits every line": {"expression": "a*"}, "must be a name": {"symbol": "a.b"},
		"pattern of paths": {"text": "a", "paths": "["}, "1 to 200 bytes": {"text": strings.Repeat("a", 201)},
	} {
		args["repository"] = o.Repository.ID
		if got, text := o.tool(c, "search_code", args); !got.IsError || !strings.Contains(text, what) {
			t.Errorf("%v: %s, want %s", args, text, what)
		}
	}
}

// Searches for symbols and words are answered from the index of the repository, and others from its newest commit.
func TestAssistantsSearchTheIndex(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	commit := o.code(map[string]string{"shop/cart.go": "package shop\n\nfunc (c Cart) Total() int {\n\treturn sum(c)\n}\n", "web/pay.ts": "const Total = 1\n"})
	c := o.assistant(o.caller(o.mona, "code:read"), nil)
	search := func(by, value string) (*mcp.CallToolResult, string) {
		return o.tool(c, "search_code", map[string]any{"repository": o.Repository.ID, by: value})
	}
	if got, text := search("words", "cart total"); !got.IsError || !strings.Contains(text, "no code index yet") {
		t.Errorf("words without an index: %s", text)
	}
	o.indexCode()
	o.service.Code = nil // it is not asked
	for by, want := range map[string]string{"symbol": "shop/cart.go:3: func (c Cart) Total() int {\nweb/pay.ts:1: const Total = 1\n", "words": "shop/cart.go:3: func (c Cart) Total() int {\n"} {
		if got, text := search(by, "Total"); got.IsError || !strings.Contains(text, want) || !strings.Contains(text, commit) {
			t.Errorf("%s: %s", by, text)
		}
	}
	if got, _ := search("text", "Total"); !got.IsError {
		t.Error("a text was searched in the index")
	}
}

// indexCode indexes the code of the repository.
func (o *office) indexCode() {
	o.t.Helper()
	index := o.service.Index
	index.Code = named{o.service.Code}
	testkit.OK(o.t, index.Want(bg, o.Tenant, o.Repository.ID))
	w, err := jobs.New(jobs.Config{Store: o.Store, Queue: memqueue.New(), Kinds: index.Kinds(), Lanes: map[domain.Lane]int{domain.LaneSweep: 1},
		Logger: telemetry.Discard(), Settings: jobs.Settings{Relay: 10 * time.Millisecond}})
	testkit.OK(o.t, err)
	ctx, stop := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, bg) }()
	testkit.Eventually(o.t, patience, func() (bool, string) {
		row, err := o.Store.CodeIndexOf(bg, o.Tenant, o.Repository.ID, o.Repository.DefaultBranch)
		return err == nil && row.State == store.IndexReady, row.State + " " + row.Reason
	})
	stop()
	testkit.OK(o.t, <-over)
}
