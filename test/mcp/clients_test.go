package mcp

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// place is the place of a server: an address with a token, or a program.
type place struct {
	URL     string   `json:"url,omitempty"`
	Token   string   `json:"token,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Cwd     string   `json:"cwd,omitempty"`
}

// client is a third-party program that uses a server.
type client interface {
	// ask makes one request: tools, call, read, prompts or prompt, by a name and arguments.
	ask(do, name string, args map[string]any) json.RawMessage
}

// driven is a client of an SDK, driven by driver.mjs.
type driven struct {
	t    *testing.T
	name string
	in   io.Writer
	out  *bufio.Reader
}

// drive starts a client that stays connected to a server until the test ends.
func drive(t *testing.T, folder, which string, at place) *driven {
	t.Helper()
	cmd := exec.Command(node(folder), "driver.mjs", folder, which)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	testkit.OK(t, err)
	out, err := cmd.StdoutPipe()
	testkit.OK(t, err)
	testkit.OK(t, cmd.Start())
	d := &driven{t, which, in, bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		_, _ = io.WriteString(in, `{"do":"end"}`+"\n") // it may have ended
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	d.say(at)
	return d
}

func (d *driven) say(what any) json.RawMessage {
	d.t.Helper()
	raw, err := json.Marshal(what)
	testkit.OK(d.t, err)
	_, err = d.in.Write(append(raw, '\n'))
	testkit.OK(d.t, err)
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		d.t.Fatalf("%s ended: %v", d.name, err)
	}
	var answer struct {
		Result json.RawMessage
		Error  string
	}
	testkit.OK(d.t, json.Unmarshal(line, &answer))
	if answer.Error != "" {
		d.t.Fatalf("%s: %s", d.name, answer.Error)
	}
	return answer.Result
}

func (d *driven) ask(do, name string, args map[string]any) json.RawMessage {
	d.t.Helper()
	return d.say(map[string]any{"do": do, "name": name, "args": args})
}

// inspector is the official inspector on the command line: one process for each request.
type inspector struct {
	t      *testing.T
	folder string
	at     place
}

func (i inspector) ask(do, name string, args map[string]any) json.RawMessage {
	i.t.Helper()
	build := filepath.Join(i.folder, "node_modules", "@modelcontextprotocol", "inspector-cli", "build")
	dir := cmp.Or(i.at.Cwd, build)
	// It searches for its own package.json beside its working folder, and one folder above itself if
	// that is missing (inspector-cli 1.0.3, callMethod).
	if beside := filepath.Join(filepath.Dir(dir), "package.json"); dir != build {
		testkit.OK(i.t, os.WriteFile(beside, []byte("{}"), 0o600))
	}
	call := []string{filepath.Join(build, "index.js")}
	if i.at.URL != "" {
		call = append(call, i.at.URL, "--transport", "http", "--header", "Authorization: Bearer "+i.at.Token)
	} else {
		call = append(append(call, i.at.Command), i.at.Args...)
	}
	words := map[string][4]string{ // method, the flag of the name, the flag of arguments, the name of the list
		"tools": {"tools/list", "", "", "tools"}, "call": {"tools/call", "--tool-name", "--tool-arg"}, "read": {"resources/read", "--uri"},
		"prompts": {"prompts/list", "", "", "prompts"}, "prompt": {"prompts/get", "--prompt-name", "--prompt-args"},
	}[do]
	call = append(call, "--method", words[0])
	if name != "" {
		call = append(call, words[1], name)
	}
	for k, v := range args {
		text, is := v.(string)
		if !is {
			raw, err := json.Marshal(v)
			testkit.OK(i.t, err)
			text = string(raw)
		}
		call = append(call, words[2], k+"="+text)
	}
	out := run(i.t, dir, node(i.folder), call...)
	if words[3] == "" {
		return json.RawMessage(out)
	}
	var list map[string]json.RawMessage
	testkit.OK(i.t, json.Unmarshal([]byte(out), &list))
	return list[words[3]]
}

// result is the result of a tool.
type result struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

// call calls a tool, and reads its value into a type of the test. The result must have a text, too.
func call[T any](t *testing.T, c client, name string, args map[string]any) (out T) {
	t.Helper()
	r := called(t, c, name, args)
	if r.IsError || len(r.Content) == 0 || r.Content[0].Text == "" {
		t.Fatalf("%s: %+v", name, r)
	}
	if err := json.Unmarshal(r.StructuredContent, &out); err != nil {
		t.Fatalf("%s: %v in %s", name, err, r.StructuredContent)
	}
	return out
}

func called(t *testing.T, c client, name string, args map[string]any) (r result) {
	t.Helper()
	raw := c.ask("call", name, args)
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%s: %v in %s", name, err, raw)
	}
	return r
}

// refusal makes a call that the tool must refuse, and returns the reason.
func refusal(t *testing.T, c client, name string, args map[string]any) string {
	t.Helper()
	r := called(t, c, name, args)
	if !r.IsError || len(r.Content) == 0 {
		t.Fatalf("%s was not refused: %+v", name, r)
	}
	return r.Content[0].Text
}

// everybody runs a script with clients of two SDKs, and if [allClients] with the inspector, which
// starts a process for each request.
func everybody(t *testing.T, at place, script func(*testing.T, client)) {
	t.Helper()
	folder := testkit.NodePackages(t)
	for _, which := range []string{"typescript", "ai-sdk"} {
		t.Run(which, func(t *testing.T) { script(t, drive(t, folder, which, at)) })
	}
	if allClients() {
		t.Run("inspector", func(t *testing.T) { script(t, inspector{t, folder, at}) })
	}
}

// allClients reports whether every program makes every request, as in make nightly.
func allClients() bool { return os.Getenv("ASSAY_CLIENTS") == "all" }

// offered returns the names of a server's tools, each with the text that assistants read.
func offered(t *testing.T, c client) string {
	t.Helper()
	var list []struct {
		Name, Title, Description  string
		InputSchema, OutputSchema struct{ Type string }
		Annotations               struct{ ReadOnlyHint, DestructiveHint *bool }
	}
	testkit.OK(t, json.Unmarshal(c.ask("tools", "", nil), &list))
	var out []string
	for _, v := range list {
		if v.Title == "" || v.Description == "" || v.InputSchema.Type != "object" || v.OutputSchema.Type != "object" || v.Annotations.ReadOnlyHint == nil && v.Annotations.DestructiveHint == nil {
			t.Errorf("%s lacks something that assistants read: %+v", v.Name, v)
		}
		out = append(out, v.Name)
	}
	return strings.Join(out, " ")
}

// newFile returns a diff that adds a file.
func newFile(path string, lines ...string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n+%[3]s\n", path, len(lines), strings.Join(lines, "\n+"))
}
