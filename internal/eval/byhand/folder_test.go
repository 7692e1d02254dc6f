package byhand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// patience bounds the wait for a file. It is generous because the machine may be loaded.
const patience = time.Minute

// quick is the interval of tests.
const quick = 30 * time.Millisecond

const verdicts = `{"type":"object","additionalProperties":false,"required":["verdicts"],"properties":{"verdicts":` +
	`{"type":"array","items":{"type":"string","enum":["yes","no"]}}}}`

func request() llm.Request {
	return llm.Request{Model: model, System: "stage: verify\n\nRead the claims.", MaxOutputTokens: 100,
		Messages: []llm.Message{{Role: llm.User, Text: "c1: a ```` fence"}}, Schema: &llm.Schema{Name: "assay_verify", JSON: json.RawMessage(verdicts)},
		Tools: []llm.Tool{{Name: "definition", Description: "Shows a definition.",
			Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string"}}}`)}}}
}

// asked is a request that waits for its answer.
type asked struct {
	t      *testing.T
	folder string
	name   string
	resp   chan llm.Response
	err    chan error
}

// pose asks in the background, and returns when the request is there.
func pose(t *testing.T, ctx context.Context, dir string, r llm.Request) *asked {
	t.Helper()
	return poseEvery(t, ctx, quick, dir, r)
}

// poseEvery is pose with another interval between two looks.
func poseEvery(t *testing.T, ctx context.Context, interval time.Duration, dir string, r llm.Request) *asked {
	t.Helper()
	named := make(chan string, 100)
	f, err := Open(dir, func(format string, args ...any) { named <- fmt.Sprintf(format, args...) })
	testkit.OK(t, err)
	f.interval = interval
	a := &asked{t: t, folder: dir, resp: make(chan llm.Response, 1), err: make(chan error, 1)}
	go func() {
		resp, err := f.Models().Strong.Client.Complete(ctx, r)
		a.resp <- resp
		a.err <- err
	}()
	line := <-named
	for range 10 {
		if strings.Contains(line, " waits for ") {
			break
		}
		line = <-named
	}
	a.name = strings.TrimSuffix(filepath.Base(strings.Fields(line)[0]), endRequest)
	return a
}

func (a *asked) path(end string) string { return filepath.Join(a.folder, a.name+end) }

// answer puts an answer in place, whole.
func (a *asked) answer(text string) {
	a.t.Helper()
	temp := filepath.Join(a.folder, "draft")
	testkit.OK(a.t, os.WriteFile(temp, []byte(text), 0o600))
	testkit.OK(a.t, os.Rename(temp, a.path(endAnswer)))
}

// note waits for a note about the answer that contains want.
func (a *asked) note(want string) {
	a.t.Helper()
	var raw []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if raw, _ = os.ReadFile(a.path(endError)); strings.Contains(string(raw), want) {
			return
		}
	}
	a.t.Fatalf("the note is %q, want %q", raw, want)
}

func (a *asked) got() llm.Response {
	a.t.Helper()
	select {
	case resp := <-a.resp:
		testkit.OK(a.t, <-a.err)
		return resp
	case <-time.After(patience):
		a.t.Fatal("the answer was not read")
		return llm.Response{}
	}
}

// A request is readable, and its answer is taken with estimated tokens.
func TestAnAnswer(t *testing.T) {
	t.Parallel()
	a := pose(t, t.Context(), t.TempDir(), request())
	raw, err := os.ReadFile(a.path(endRequest))
	testkit.OK(t, err)
	for _, want := range []string{"# Request 1: verify", "Tier: strong", "Read the claims.", "Message 1: user", "`````\nc1: a ```` fence\n`````",
		"### definition", `"enum": [`, a.name + endAnswer, "at most 131072 bytes", "tool_calls"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%q is not in the request:\n%s", want, raw)
		}
	}
	a.answer("\n" + `{"verdicts": ["yes"]}` + "\n")
	resp := a.got()
	testkit.Equal(t, "text", resp.Text, `{"verdicts": ["yes"]}`)
	if resp.StopReason != llm.StopEnd || resp.Usage.InputTokens == 0 || resp.Usage.OutputTokens == 0 || !resp.Usage.Estimated {
		t.Errorf("%+v", resp)
	}
}

// An answer that cannot be used gets a sentence beside it, and the next one is read. The sentence then goes.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	a := pose(t, t.Context(), t.TempDir(), request())
	for _, c := range []struct{ text, want string }{
		{"", "it is empty"},
		{"  \n", "it is empty"},
		{`{"verdicts": ["yes"`, "it is not valid JSON: unexpected end"},
		{`{"verdicts": []} {}`, "it is not valid JSON"},
		{"```json\n{}\n```", "a fence of Markdown"},
		{"\xff\xfe", "not UTF-8"},
		{`["yes"]`, "not a JSON object"},
		{`{"verdicts": ["maybe"]}`, "does not fit the schema"},
		{`{"verdicts": [], "notes": ""}`, "does not fit the schema"},
		{`{}`, `does not fit the schema of the request: required: missing properties: ["verdicts"]`},
		{`{"verdicts": ["maybe"]}`, `does not fit the schema of the request: verdicts[]: enum: maybe does not equal any of`},
		{`{"verdicts": ["` + strings.Repeat("x", maxAnswer) + `"]}`, fmt.Sprintf("an answer must have at most %d", maxAnswer)},
		{strings.Repeat("[", maxAnswer), "not valid JSON"},
		{`{"tool_calls": []}`, "tool_calls has 0 entries, and must have 1 to 32"},
		{`{"tool_calls": [` + strings.Repeat(`{},`, maxToolCalls) + `{}]}`, "tool_calls has 33 entries"},
		{`{"tool_calls": {}}`, "tool_calls must be a list"},
		{`{"tool_calls": [{"name": "rm", "arguments": {}}]}`, `tool_calls[0].name must be a tool of the request, not "rm"`},
		{`{"tool_calls": [{"name": "definition"}]}`, "tool_calls[0].arguments must be an object"},
		{`{"tool_calls": [{"name": "definition", "arguments": {"path": "x"}}]}`, "does not fit the parameters of definition"},
	} {
		a.answer(c.text)
		a.note(c.want)
	}
	a.answer(`{"verdicts": []}`)
	a.got()
	if _, err := os.Lstat(a.path(endError)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the note stays: %v", err)
	}
}

// Links and folders are not read, and what they lead to stays.
func TestAnswersThatAreNotFiles(t *testing.T) {
	t.Parallel()
	a := pose(t, t.Context(), t.TempDir(), request())
	secret := filepath.Join(t.TempDir(), "secret")
	testkit.OK(t, os.WriteFile(secret, []byte(`{"verdicts": []}`), 0o600))
	testkit.OK(t, os.Symlink(secret, a.path(endAnswer)))
	a.note("a symbolic link")
	testkit.OK(t, os.Remove(a.path(endAnswer)))
	testkit.OK(t, os.Mkdir(a.path(endAnswer), 0o700))
	a.note("not a regular file")
	testkit.OK(t, os.Remove(a.path(endAnswer)))
	a.answer(`{"verdicts": []}`)
	a.got()
}

// Calls of tools have ids that no earlier call of the conversation has.
func TestToolCalls(t *testing.T) {
	t.Parallel()
	r := request()
	r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "definition", Arguments: `{"name":"a"}`}}},
		llm.Message{Role: llm.ToolResult, ToolCallID: "call_1", Text: "func a()"})
	a := pose(t, t.Context(), t.TempDir(), r)
	raw, err := os.ReadFile(a.path(endRequest))
	testkit.OK(t, err)
	if !strings.Contains(string(raw), "Call call_1 of definition") || !strings.Contains(string(raw), "Message 3: result of call_1") {
		t.Errorf("%s", raw)
	}
	a.answer(`{"tool_calls": [{"name": "definition", "arguments": {"name": "b"}}, {"name": "definition", "arguments": {"name": "c"}}]}`)
	resp := a.got()
	testkit.Equal(t, "reason", resp.StopReason, llm.StopTools)
	testkit.Equal(t, "calls", fmt.Sprint(resp.ToolCalls), `[{call_2 definition {"name": "b"}} {call_3 definition {"name": "c"}}]`)
}

// A file that grows is not read before it rests, even where a part of it is an answer.
func TestAHalfWrittenAnswer(t *testing.T) {
	t.Parallel()
	const slow = 500 * time.Millisecond
	a := poseEvery(t, t.Context(), slow, t.TempDir(), request())
	file, err := os.Create(a.path(endAnswer))
	testkit.OK(t, err)
	text := `{"verdicts": []}`
	for i := range 60 { // longer than three looks
		if i == 0 {
			_, err = file.WriteString(text)
		} else {
			_, err = file.WriteString(" ")
		}
		testkit.OK(t, err)
		time.Sleep(slow / 20)
		select {
		case resp := <-a.resp:
			t.Fatalf("a growing file was read: %q", resp.Text)
		default:
		}
	}
	testkit.OK(t, file.Close())
	testkit.Equal(t, "text", a.got().Text, text)
}

// A later run finds requests and answers of an earlier one, also after an interrupt, and changes no file.
func TestTheSameRequestAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	first := pose(t, ctx, dir, request())
	stop()
	if err := <-first.err; !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
	testkit.OK(t, os.WriteFile(first.path(endRequest), []byte("with my notes"), 0o600))
	testkit.OK(t, os.WriteFile(first.path(endError), []byte("my own"), 0o600))
	other := request()
	other.System = "stage: generate"
	second := pose(t, t.Context(), dir, other)
	if !strings.HasPrefix(second.name, "0002-") {
		t.Errorf("another request is %s", second.name)
	}
	again := pose(t, t.Context(), dir, request())
	testkit.Equal(t, "name", again.name, first.name)
	again.answer("{")
	time.Sleep(10 * quick)
	again.answer(`{"verdicts": []}`)
	again.got()
	second.answer(`{"verdicts": ["no"]}`)
	second.got()
	for end, want := range map[string]string{endRequest: "with my notes", endError: "my own", endAnswer: `{"verdicts": []}`} {
		raw, err := os.ReadFile(first.path(end))
		testkit.OK(t, err)
		testkit.Equal(t, "content of "+end, string(raw), want)
	}
	var once sync.Once
	f, err := Open(dir, func(string, ...any) { once.Do(func() { t.Error("an answer that is there was asked for") }) })
	testkit.OK(t, err)
	resp, err := f.Models().Strong.Client.Complete(t.Context(), other)
	testkit.OK(t, err)
	testkit.Equal(t, "the answer of before", resp.Text, `{"verdicts": ["no"]}`)
}

// A file in place of the folder, and requests that cannot be written, are errors.
func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	testkit.OK(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(file, nil); err == nil {
		t.Error("a file was taken for a folder")
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f, err := Open(dir, nil)
	testkit.OK(t, err)
	testkit.OK(t, os.RemoveAll(dir))
	if _, err := f.Models().Fast.Client.Complete(t.Context(), request()); err == nil {
		t.Error("a request was written nowhere")
	}
}
