package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/zalando/go-keyring"

	"github.com/assay-dev/assay/internal/testkit"
)

// TestMCPOverStandardInput drives the built program as an assistant does.
func TestMCPOverStandardInput(t *testing.T) {
	program := testkit.Binary(t)
	checkout(t, leaky())
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(program, "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("the end: %v", err)
		}
	}()
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{}})
	if err != nil || got.IsError || len(got.Content) == 0 {
		t.Fatalf("%v, %+v", err, got)
	}
	if text, _ := got.Content[0].(*mcp.TextContent); text == nil || !strings.Contains(text.Text, "where: keys.go:3-3") || strings.Contains(text.Text, leak()) {
		t.Errorf("it says %+v", got.Content[0])
	}
}

// fed runs a command with an input.
func fed(t *testing.T, input string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(args, &env{stdin: strings.NewReader(input), stdout: &stdout, stderr: &stderr, context: t.Context()})
	return result{code, stdout.String(), stderr.String()}
}

// TestMCPPassesOn stores a token in the keyring and forwards a question with it. It replaces the process's
// keyring, so it must not run in parallel with other tests of this package.
func TestMCPPassesOn(t *testing.T) {
	keyring.MockInit()
	token := "assay_mcp_" + "sample"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	}))
	defer server.Close()
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
	if r := fed(t, ping, "mcp", "--server", server.URL); r.code != exitFailed || !strings.Contains(r.stderr, "--store-token") {
		t.Errorf("without a token: %+v", r)
	}
	if r := fed(t, token+"\n", "mcp", "--server", server.URL, "--store-token"); r.code != exitOK || strings.Contains(r.stdout+r.stderr, token) {
		t.Errorf("keeping the token: %+v", r)
	}
	if r := fed(t, ping, "mcp", "--server", server.URL+"/mcp"); r.code != exitOK || r.stdout != `{"jsonrpc":"2.0","id":7,"result":{}}`+"\n" {
		t.Errorf("with the token of the keyring: %+v", r)
	}
	checkout(t, map[string]string{"token": "wrong\n", "two": "a b\n"})
	if r := fed(t, ping, "mcp", "--server", server.URL, "--token-file", "token"); r.code != exitOK || !strings.Contains(r.stdout, `"error"`) || !strings.Contains(r.stdout, "refuses the token") {
		t.Errorf("with a wrong token: %+v", r)
	}
	keyring.MockInitWithError(fmt.Errorf("no such bus"))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no keyring":       {[]string{"--server", server.URL}, exitFailed, "--token-file"},
		"two tokens":       {[]string{"--server", server.URL, "--token-file", "two"}, exitFailed, "one token"},
		"no file":          {[]string{"--server", server.URL, "--token-file", "none"}, exitFailed, "--token-file"},
		"plain http":       {[]string{"--server", "http://assay.example.com"}, exitUsage, "https"},
		"no address":       {[]string{"--server", "assay"}, exitUsage, "--server"},
		"another path":     {[]string{"--server", "https://example.com/assay/"}, exitUsage, "--server"},
		"a token, no host": {[]string{"--token-file", "token"}, exitUsage, "--server"},
	} {
		if r := fed(t, ping, append([]string{"mcp"}, tt.args...)...); r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
