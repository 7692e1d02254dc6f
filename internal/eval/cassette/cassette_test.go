package cassette

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit"
)

// teller answers, but not where it is told to fail, and counts what it was asked.
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

// A cassette has no more calls than it can be replayed with: the one above is not
// even asked, and a call without an answer takes no place.
func TestACassetteIsFull(t *testing.T) {
	t.Parallel()
	path, asked := filepath.Join(t.TempDir(), "tape"), 0
	route := engine.Route{Client: teller{asked: &asked}, Model: "m"}
	tape, err := Record(path, "seed 1", &engine.Models{Fast: route, Standard: route, Strong: route})
	testkit.OK(t, err)
	tape.most = 2
	ask := func(model string) error {
		_, err := tape.Models().Fast.Client.Complete(t.Context(), llm.Request{Model: model})
		return err
	}
	testkit.OK(t, ask("first"))
	if ask("failing") == nil {
		t.Error("a call that failed has an answer")
	}
	testkit.OK(t, ask("second"))
	for i := range 2 {
		if err := ask(fmt.Sprint(i)); !errors.Is(err, ErrFull) {
			t.Errorf("the error is %v", err)
		}
	}
	if asked != 3 {
		t.Errorf("%d questions were asked, want 3", asked)
	}
	testkit.OK(t, tape.Close())
	if _, err := open(path, "seed 1", 2); err != nil {
		t.Errorf("it cannot be replayed: %v", err)
	}
	if _, err := open(path, "seed 1", 1); err == nil {
		t.Error("one with too many calls is replayed")
	}
}
