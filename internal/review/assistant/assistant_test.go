package assistant_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/review/assistant"
	"github.com/assay-dev/assay/internal/testkit"
)

// leak looks like a credential and was never issued.
func leak() string { return "AK" + "IA" + "Q7RZT5WN" + "K2YDMX4H" }

// checkout makes a repository with one commit and the given files on top.
func checkout(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	put("main.go", "package main\n\nfunc main() {}\n")
	put("AGENTS.md", "Every handler has a time limit.\nNever print "+leak()+".\n")
	put("web/AGENTS.md", "Every page has a heading.\n")
	testkit.Git(t, dir, "add", ".")
	testkit.Git(t, dir, "commit", "-q", "-m", "first")
	for name, text := range files {
		put(name, text)
	}
	return dir
}

// session connects a client of the protocol.
func session(t *testing.T, dir string, progress func(string)) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- assistant.Serve(t.Context(), fromClient, toClient, assistant.Options{Dir: dir, Version: "1.2.3"})
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		if progress != nil {
			progress(r.Params.Message)
		}
	}})
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-done; err != nil {
			t.Errorf("the end of a session: %v", err)
		}
	})
	return s
}

// call calls a tool. It returns the short text of the result, and whether the call was refused.
func call[T any](t *testing.T, s *mcp.ClientSession, name string, args any) (out T, text string, failed bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken("p1")
	got, err := s.CallTool(t.Context(), params)
	if err != nil {
		return out, err.Error(), true
	}
	for _, c := range got.Content {
		if c, is := c.(*mcp.TextContent); is {
			text += c.Text
		}
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err == nil && !got.IsError {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text+string(raw), leak()) {
		t.Errorf("%s tells a secret", name)
	}
	return out, text, got.IsError
}

func TestAnAssistantReviewsACheckout(t *testing.T) {
	t.Parallel()
	dir := checkout(t, map[string]string{"keys.go": "package main\n\nconst key = \"" + leak() + "\"\n"})
	told := make(chan string, 100)
	s := session(t, dir, func(line string) { told <- line })
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s lacks a schema, a description, or what it does to the world", tool.Name)
		}
	}
	got, text, failed := call[assistant.Review](t, s, "review_diff", assistant.Change{})
	if failed || got.TotalFindings != 1 || len(got.Findings) != 1 || got.Findings[0].Path != "keys.go" || got.Findings[0].StartLine != 3 || !got.Findings[0].Blocks || !strings.Contains(text, "where: keys.go:3-3") || got.Incomplete == "" {
		t.Fatalf("%+v\n%s", got, text)
	}
	if line := <-told; line == "" {
		t.Error("progress has no text")
	}
	why, text, failed := call[assistant.Explained](t, s, "explain_finding", assistant.ExplainInput{ID: got.Findings[0].ID})
	if failed || why.Explanation == "" || why.ID != got.Findings[0].ID || !strings.Contains(text, "\nlines:\n3|") {
		t.Errorf("%+v\n%s", why, text)
	}
	clean, text, failed := call[assistant.Review](t, s, "review_diff", assistant.Change{Paths: []string{"main.go"}})
	if failed || clean.Findings == nil || len(clean.Findings) != 0 || !strings.Contains(text, "0 findings") {
		t.Errorf("%+v\n%s", clean, text)
	}
	rules, text, failed := call[assistant.Guidelines](t, s, "list_rules", assistant.ListRulesInput{Path: "web/page.go"})
	if failed || len(rules.Files) == 0 || !strings.Contains(text, "|Every page has a heading.\n") {
		t.Errorf("%+v\n%s", rules, text)
	}
	rules, text, failed = call[assistant.Guidelines](t, s, "list_rules", assistant.ListRulesInput{Path: "main.go"})
	if failed || len(rules.Files) != 1 || !strings.Contains(text, "|Every handler has a time limit.\n") || !strings.Contains(text, "[redacted:") {
		t.Errorf("%+v\n%s", rules, text)
	}
	for _, name := range []string{"review_my_change", "fix_these_findings"} {
		if p, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name}); err != nil || len(p.Messages) != 1 {
			t.Errorf("prompt %s: %v, %v", name, p, err)
		}
	}
}

// Paths are relative to the top of the working tree, wherever the program was started. A path without
// changes is named, so that silence about it is not read as praise.
func TestPathsAreFromTheTop(t *testing.T) {
	t.Parallel()
	dir := checkout(t, map[string]string{"web/a.go": "package web\n\nconst key = \"" + leak() + "\"\n", "b.go": "package main\n"})
	s := session(t, filepath.Join(dir, "web"), nil)
	for _, paths := range [][]string{{"web/a.go"}, {"web"}, {"web/"}, {"./web"}, nil} {
		got, text, failed := call[assistant.Review](t, s, "review_diff", assistant.Change{Paths: paths})
		if failed || got.TotalFindings != 1 || got.Findings[0].Path != "web/a.go" || len(got.Notices) != 0 {
			t.Errorf("%q: %+v\n%s", paths, got, text)
		}
	}
	got, text, failed := call[assistant.Review](t, s, "review_diff", assistant.Change{Paths: []string{"b.go", "a.go", "web/web", "main.go"}})
	want := "The change has nothing in a.go, web/web, main.go (paths from the top of the working tree)."
	if failed || got.Files != 1 || len(got.Notices) != 1 || got.Notices[0] != want || !strings.Contains(text, want) {
		t.Errorf("%+v\n%s", got, text)
	}
	got, text, failed = call[assistant.Review](t, s, "review_diff", assistant.Change{Paths: []string{"web/a.go", "nowhere"}})
	if failed || got.TotalFindings != 1 || len(got.Notices) != 1 || !strings.Contains(text, "The change has nothing in nowhere ") {
		t.Errorf("%+v\n%s", got, text)
	}
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("no-%02d", i)
	}
	if got, _, failed := call[assistant.Review](t, s, "review_diff", assistant.Change{Paths: many}); failed || len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "no-09 and 30 more") {
		t.Errorf("%+v", got)
	}
}

func TestWrongRequestsOfAssistants(t *testing.T) {
	t.Parallel()
	s := session(t, checkout(t, nil), nil)
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
	}
	for name, tt := range map[string]struct {
		tool string
		args any
		want string
	}{
		"both ends":        {"review_diff", assistant.Change{Range: "main..HEAD", Base: "main"}, "neither base nor staged"},
		"no such commit":   {"review_diff", assistant.Change{Base: "nowhere"}, "nowhere"},
		"a flag":           {"review_diff", assistant.Change{Base: "--output=x"}, "dash"},
		"elsewhere":        {"review_diff", assistant.Change{Paths: []string{"../x"}}, "not inside"},
		"absolute":         {"review_diff", assistant.Change{Paths: []string{"/etc/passwd"}}, "from the top"},
		"too many paths":   {"review_diff", assistant.Change{Paths: many}, "at most 100"},
		"unknown finding":  {"explain_finding", assistant.ExplainInput{ID: "fnd_x"}, "call review_diff"},
		"rules elsewhere":  {"list_rules", assistant.ListRulesInput{Path: "../x"}, "from the top"},
		"unknown argument": {"review_diff", map[string]any{"publish": true}, "publish"},
		"no id":            {"explain_finding", map[string]any{}, "id"},
		"unknown tool":     {"rm", map[string]any{}, "rm"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, text, failed := call[map[string]any](t, s, tt.tool, tt.args); !failed || !strings.Contains(text, tt.want) {
				t.Errorf("refused: %v, %q", failed, text)
			}
		})
	}
}

func TestOutsideOfACheckout(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), nil)
	if _, text, failed := call[map[string]any](t, s, "review_diff", assistant.Change{}); !failed || !strings.Contains(text, "git working tree") {
		t.Errorf("refused: %v, %q", failed, text)
	}
}
