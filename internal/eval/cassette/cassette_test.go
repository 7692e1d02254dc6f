package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// teller answers every request except those to the model failing, and counts the requests.
type teller struct {
	llm.Client
	asked *int
}

func (t teller) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	*t.asked++
	if r.Model == "failing" {
		return llm.Response{}, errors.New("no answer")
	}
	return llm.Response{Text: r.Model}, nil
}

// A cassette records at most as many calls as a replay accepts. Further calls do not reach the model, and a
// call without an answer does not take a place.
func TestACassetteIsFull(t *testing.T) {
	t.Parallel()
	path, asked := filepath.Join(t.TempDir(), "tape"), 0
	route := ask.Route{Client: teller{asked: &asked}, Model: "m"}
	tape, err := Record(path, "seed 1", &ask.Models{Fast: route, Standard: route, Strong: route})
	testkit.OK(t, err)
	tape.maxCalls = 2
	call := func(model string) error {
		_, err := tape.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: model})
		return err
	}
	testkit.OK(t, call("first"))
	if call("failing") == nil {
		t.Error("a call that failed has an answer")
	}
	testkit.OK(t, call("second"))
	for i := range 2 {
		if err := call(fmt.Sprint(i)); !errors.Is(err, errFull) {
			t.Errorf("the error is %v", err)
		}
	}
	if asked != 3 {
		t.Errorf("the model got %d requests, want 3", asked)
	}
	testkit.OK(t, tape.Close())
	if _, err := open(path, "seed 1", 2); err != nil {
		t.Errorf("it cannot be replayed: %v", err)
	}
	if _, err := open(path, "seed 1", 1); err == nil {
		t.Error("a cassette with too many calls is replayed")
	}
}

// tape records requests by the names of their models, and returns the answers.
func tape(t *testing.T, path, of, model string, asked *int, requests ...string) (answers []string, c *Cassette) {
	t.Helper()
	route := ask.Route{Client: teller{asked: asked}, Model: model}
	c, err := Record(path, of, &ask.Models{Fast: route, Standard: route, Strong: route})
	testkit.OK(t, err)
	for _, r := range requests {
		resp, err := c.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: r})
		testkit.OK(t, err)
		answers = append(answers, resp.Text)
	}
	testkit.OK(t, c.Close())
	return answers, c
}

// An existing cassette is continued: the model is called only for missing answers, even after an incomplete
// last line.
func TestACassetteIsContinued(t *testing.T) {
	t.Parallel()
	path, asked := filepath.Join(t.TempDir(), "tape"), 0
	_, c := tape(t, path, "seed 1", "m", &asked, "a", "b", "a")
	testkit.Equal(t, "kept by a new one", c.Kept(), 0)
	whole, err := os.ReadFile(path)
	testkit.OK(t, err)
	for name, tail := range map[string]string{"whole": "", "torn": `{"request":"1234`} {
		t.Run(name, func(t *testing.T) {
			testkit.OK(t, os.WriteFile(path, append(slices.Clone(whole), tail...), 0o600))
			if _, err := Open(path, "seed 1"); (err != nil) != (tail != "") {
				t.Errorf("replayed: %v", err)
			}
			asked = 0
			answers, c := tape(t, path, "seed 1", "m", &asked, "a", "a", "b", "c", "a")
			testkit.Equal(t, "kept", c.Kept(), 3)
			testkit.Equal(t, "asked", asked, 2) // c, and the third a
			testkit.Equal(t, "answers", strings.Join(answers, " "), "a a b c a")
			asked = 0
			_, c = tape(t, path, "seed 1", "m", &asked, "a", "b", "c")
			testkit.Equal(t, "kept in the end", fmt.Sprint(c.Kept(), asked), "5 0")
			_, err := Open(path, "seed 1")
			testkit.OK(t, err)
		})
	}
}

// A cassette that cannot be continued is not changed, and the error says why.
func TestCassettesThatCannotBeContinued(t *testing.T) {
	t.Parallel()
	path, asked := filepath.Join(t.TempDir(), "tape"), 0
	tape(t, path, "seed 1", "m", &asked, "a")
	whole, err := os.ReadFile(path)
	testkit.OK(t, err)
	for name, tc := range map[string]struct{ content, of, model, want string }{
		"other options": {string(whole), "seed 2", "m", "other options: seed 1"},
		"other models":  {string(whole), "seed 1", "n", "other models: m"},
		"notes":         {"remember the milk", "seed 1", "m", "not of a cassette"},
		"lines":         {"remember\nthe milk\n", "seed 1", "m", ":1 is not of a cassette"},
		"a wrong line":  {string(whole) + "{}\n", "seed 1", "m", ":3 is not of a cassette"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tape")
			testkit.OK(t, os.WriteFile(path, []byte(tc.content), 0o600))
			route := ask.Route{Client: teller{asked: new(int)}, Model: tc.model}
			if _, err := Record(path, tc.of, &ask.Models{Fast: route, Standard: route, Strong: route}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			now, err := os.ReadFile(path)
			testkit.OK(t, err)
			testkit.Equal(t, "the file", string(now), tc.content)
		})
	}
}

// A renewed cassette has the answers of its last recording alone. A file of other options is refused and stays.
func TestACassetteIsRenewed(t *testing.T) {
	t.Parallel()
	path, asked := filepath.Join(t.TempDir(), "tape"), 0
	tape(t, path, "seed 1", "m", &asked, "a", "b")
	route := ask.Route{Client: teller{asked: &asked}, Model: "m"}
	models := &ask.Models{Fast: route, Standard: route, Strong: route}
	if _, err := Renew(path, "seed 2", models); err == nil || !strings.Contains(err.Error(), "other options") {
		t.Fatalf("other options: %v", err)
	}
	c, err := Renew(path, "seed 1", models)
	testkit.OK(t, err)
	testkit.Equal(t, "kept", c.Kept(), 0)
	_, err = c.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: "b"})
	testkit.OK(t, err)
	testkit.OK(t, c.Close())
	testkit.Equal(t, "asked", asked, 3)
	again, err := Open(path, "seed 1")
	testkit.OK(t, err)
	if _, err := again.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: "b"}); err != nil {
		t.Errorf("the second recording: %v", err)
	}
	if _, err := again.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: "a"}); !errors.Is(err, errUnknown) {
		t.Errorf("the first recording is still there: %v", err)
	}
}
