package tools_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/tools"
)

func session(t *testing.T) *mcp.ClientSession {
	t.Helper()
	web := httptest.NewServer(tools.New(tools.Options{}).Handler())
	t.Cleanup(web.Close)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL + tools.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// said returns the text of an answer.
func said(t *testing.T, s *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range got.Content {
		if c, is := c.(*mcp.TextContent); is {
			text += c.Text
		}
	}
	return text, got.IsError
}

// Both tools have schemas, only read, and answer the sample's questions.
func TestTheTools(t *testing.T) {
	t.Parallel()
	s := session(t)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, tool := range list.Tools {
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Description == "" || tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s lacks a schema, a description, or what it does to the world", tool.Name)
		}
	}
	asked := 0
	for _, p := range append(demo.PullRequests(), demo.Held()) {
		for _, b := range p.PlantedBugs {
			if q := b.Question; q != nil {
				asked++
				if text, failed := said(t, s, q.Tool, q.Arguments); failed || !strings.Contains(text, q.Contains) {
					t.Errorf("%s of %s: %s", q.Tool, q.Arguments, text)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("the sample asks nothing")
	}
	if text, failed := said(t, s, tools.SearchRunbooks, `{"words":"merchant TWICE"}`); failed || !strings.Contains(text, "A merchant was paid twice") || strings.Contains(text, "slow") {
		t.Error(text)
	}
}

func TestWrongRequests(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]struct{ tool, arguments, want string }{
		"no such service":  {tools.FindService, `{"name":"nothing"}`, "no service of that name"},
		"another argument": {tools.FindService, `{"name":"bank","x":1}`, "x"},
		"no argument":      {tools.SearchRunbooks, `{}`, "words"},
		"too much":         {tools.FindService, `{"name":"` + strings.Repeat("x", 70<<10) + `"}`, ""},
	} {
		if text, failed := said(t, session(t), q.tool, q.arguments); !failed || !strings.Contains(text, q.want) {
			t.Errorf("%s: %v, %s", name, failed, text)
		}
	}
	if text, failed := said(t, session(t), tools.SearchRunbooks, `{"words":" "}`); failed || !strings.Contains(text, `"runbooks":[]`) {
		t.Errorf("no words: %s", text)
	}
}

// Run serves until its context ends, and reports its address.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- tools.Run(ctx, tools.RunOptions{}, func(base string) { ready <- base }) }()
	base := <-ready
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + tools.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
