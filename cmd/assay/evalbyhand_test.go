package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// fenced matches the beginning of a section of a request: its heading and the line before its text.
var fenced = regexp.MustCompile("(?m)^## (System|Message [0-9]+: user|Schema of the answer)\n\n(```+)(?:json)?\n")

// readSheet reads a request by hand as a model would, from its file alone.
func readSheet(t *testing.T, path string) (r llm.Request) {
	t.Helper()
	raw, err := os.ReadFile(path)
	testkit.OK(t, err)
	rest := string(raw)
	for m := fenced.FindStringSubmatchIndex(rest); m != nil; m = fenced.FindStringSubmatchIndex(rest) {
		heading, fence := rest[m[2]:m[3]], rest[m[4]:m[5]]
		var text string
		text, rest, _ = strings.Cut(rest[m[1]:], "\n"+fence+"\n")
		switch heading {
		case "System":
			r.System = text
		case "Schema of the answer":
			r.Schema = &llm.Schema{JSON: json.RawMessage(text)}
		default:
			r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: text + "\n"})
		}
	}
	if r.System == "" || len(r.Messages) == 0 || r.Schema == nil || !json.Valid(r.Schema.JSON) {
		t.Fatalf("a part of the request is missing:\n%s", raw)
	}
	return r
}

// complete adds the members of a schema that a scripted model leaves out.
func complete(t *testing.T, schema json.RawMessage, text string) []byte {
	t.Helper()
	type form struct {
		Properties map[string]struct {
			Items struct {
				Properties map[string]struct {
					Type any   `json:"type"`
					Enum []any `json:"enum"`
				} `json:"properties"`
			} `json:"items"`
		} `json:"properties"`
	}
	var f form
	testkit.OK(t, json.Unmarshal(schema, &f))
	answer := decode[map[string][]map[string]any](t, text)
	for list, entries := range answer {
		for name, property := range f.Properties[list].Items.Properties {
			for _, e := range entries {
				_, there := e[name]
				switch {
				case there:
				case property.Type == "array":
					e[name] = []any{}
				case len(property.Enum) > 0: // the last one is the most careful
					e[name] = property.Enum[len(property.Enum)-1]
				default:
					e[name] = ""
				}
			}
		}
	}
	whole := map[string]any{}
	for name := range f.Properties { // texts beside the list, such as the synopsis
		whole[name] = ""
	}
	for list, entries := range answer {
		whole[list] = entries
	}
	raw, err := json.Marshal(whole)
	testkit.OK(t, err)
	return raw
}

// playOracle answers requests of a folder for a case until done is closed or it has answered so many.
func playOracle(t *testing.T, dir string, c eval.Case, most int, done <-chan struct{}) (answered int) {
	t.Helper()
	m, err := script.New(script.Options{Name: script.Oracle}, c, 0)
	testkit.OK(t, err)
	for {
		list, err := filepath.Glob(filepath.Join(dir, "*.request.md"))
		testkit.OK(t, err)
		for _, path := range list {
			answer := strings.TrimSuffix(path, ".request.md") + ".answer.json"
			if _, err := os.Lstat(answer); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			r := readSheet(t, path)
			resp, err := m.Complete(t.Context(), r)
			testkit.OK(t, err)
			testkit.OK(t, os.WriteFile(answer+".part", complete(t, r.Schema.JSON, resp.Text), 0o600))
			testkit.OK(t, os.Rename(answer+".part", answer))
			if answered++; answered == most {
				return answered
			}
		}
		select {
		case <-done:
			return answered
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// A review by hand is interrupted, goes on with the answers that are there, and is replayed from its cassette. An
// oracle that reads files alone finds the known defect.
func TestARunByHand(t *testing.T) {
	t.Parallel()
	all := decode[[]eval.Case](t, good(t, command(t, nil, "eval", "cases", "--json", "--only", "^ledger", "--kind", "defect", "--limit", "1")))
	dir := filepath.Join(t.TempDir(), "answers")
	args := []string{"eval", "run", "--only", "^" + all[0].ID + "$", "--format", "json"}
	byHand := append(args, "--by-hand", dir)
	start := func() *testkit.Process {
		return testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: byHand})
	}

	first := start()
	line := first.WaitLine(startup, " waits for ")
	name, _, _ := strings.Cut(strings.TrimSpace(line[strings.LastIndex(line, " ")+1:]), ".")
	answer := filepath.Join(dir, name+".answer.json")
	testkit.OK(t, os.WriteFile(answer, []byte(`{"findings": "none"}`), 0o600))
	first.WaitLine(startup, "does not fit the schema")
	note, err := os.ReadFile(filepath.Join(dir, name+".error.txt"))
	testkit.OK(t, err)
	if !strings.Contains(string(note), "does not fit the schema") {
		t.Errorf("the note is %q", note)
	}
	testkit.OK(t, os.Remove(answer))
	testkit.Equal(t, "answers", playOracle(t, dir, all[0], 1, nil), 1)
	first.Signal(syscall.SIGINT)
	testkit.Equal(t, "exit code of an interrupt", first.Wait(drain), 2)
	if text := strings.Join(first.Lines(), "\n"); !strings.Contains(text, "run the same command again to go on") || !strings.Contains(text, dir) {
		t.Errorf("an interrupt says: %s", text)
	}

	second := start()
	done := make(chan struct{})
	code := 0
	go func() { defer close(done); code = second.Wait(startup) }()
	if n := playOracle(t, dir, all[0], 100, done); n == 0 {
		t.Error("nothing was left to answer")
	}
	testkit.Equal(t, "exit code", code, 0)

	replayed := decode[score.Report](t, good(t, command(t, nil, append(args, "--replay", filepath.Join(dir, "cassette.jsonl"))...)))
	if replayed.Costs.Total.Calls < 2 {
		t.Errorf("%d calls: the finding was not verified", replayed.Costs.Total.Calls)
	}
	testkit.Equal(t, "recall", measured(t, replayed, "strict", score.Recall), 1)
	again := decode[score.Report](t, good(t, command(t, nil, append(byHand, "--quiet")...))) // every answer is there
	testkit.Equal(t, "mode", again.Made.Mode, "by hand")
	testkit.Equal(t, "calls again", again.Costs.Total.Calls, replayed.Costs.Total.Calls)
	testkit.Equal(t, "tokens again", again.Costs.Total.InputTokens, replayed.Costs.Total.InputTokens)
}

// The cassette of a folder is a regular file: a link is not followed, and its target keeps its text.
func TestTheCassetteOfAFolderIsRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "cassette.jsonl")
	testkit.OK(t, checkRegular(path))
	testkit.OK(t, os.WriteFile(target, nil, 0o600))
	testkit.OK(t, checkRegular(target))
	testkit.OK(t, os.Symlink(target, path))
	c := evalRunCmd{ByHand: dir, Quiet: true}
	if _, _, err := c.answersByHand(nil, nil); err == nil || !strings.Contains(err.Error(), "cassette.jsonl is not a regular file") {
		t.Errorf("a link: %v", err)
	}
	raw, err := os.ReadFile(target)
	testkit.OK(t, err)
	testkit.Equal(t, "target of the link", string(raw), "")
	testkit.OK(t, os.Remove(path))
	testkit.OK(t, os.Mkdir(path, 0o700))
	if _, _, err := c.answersByHand(nil, nil); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}
