// Package cassette keeps the answers of models, so that a run of the harness can
// be done again without a key, by anybody, with the same result.
//
// A cassette is a file of JSON lines, one for each call: the hash of the request
// and the answer. Requests are not kept, because they hold the code of the cases.
// The engine's delimiters are random, so whoever records and replays has to make
// them the same ([Random]).
package cassette

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
)

// Bounds of a cassette (design choices: a run of a thousand cases fits).
const (
	maxLine  = 1 << 20 // bytes of one answer
	maxCalls = 200_000
)

// ErrUnknown says that a request is not on the cassette: the prompts, the cases
// or the model are not those that it was recorded with.
var ErrUnknown = errors.New("the cassette has no answer to this request; it was recorded with other prompts, cases or models")

// line is a call as it stands in the file.
type line struct {
	Request  string       `json:"request"` // SHA-256 in hexadecimal
	Response llm.Response `json:"response"`
}

// Cassette holds answers. It is safe for concurrent use.
type Cassette struct {
	mu      sync.Mutex
	answers map[string][]llm.Response // in the order they were given, for equal requests
	given   map[string]int
	out     *os.File // nil: only replayed
}

// Open reads a cassette to replay.
func Open(path string) (*Cassette, error) {
	f, err := os.Open(path) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	c := &Cassette{answers: map[string][]llm.Response{}, given: map[string]int{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || len(l.Request) != 2*sha256.Size {
			return nil, fmt.Errorf("%s:%d is not a call of a cassette: an object with request and response", path, n)
		}
		if n > maxCalls {
			return nil, fmt.Errorf("%s has more than %d calls", path, maxCalls)
		}
		c.answers[l.Request] = append(c.answers[l.Request], l.Response)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Record makes a new cassette; a file that is there is not overwritten.
func Record(path string) (*Cassette, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	return &Cassette{answers: map[string][]llm.Response{}, given: map[string]int{}, out: f}, nil
}

// Close writes the file out.
func (c *Cassette) Close() error {
	if c.out == nil {
		return nil
	}
	return errors.Join(c.out.Sync(), c.out.Close())
}

// Client returns a client that answers from the cassette, or asks the model and
// keeps its answer where the cassette records. Only answers are kept: a call that
// failed fails again where it is replayed.
func (c *Cassette) Client(model llm.Client) llm.Client { return client{c, model} }

type client struct {
	cassette *Cassette
	model    llm.Client
}

// ListModels implements [llm.Client].
func (c client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	if c.model == nil {
		return nil, nil
	}
	return c.model.ListModels(ctx)
}

// Complete implements [llm.Client].
func (c client) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	key, err := Key(r)
	if err != nil {
		return llm.Response{}, err
	}
	if c.cassette.out == nil {
		return c.cassette.take(key)
	}
	resp, err := c.model.Complete(ctx, r)
	if err != nil {
		return resp, err
	}
	return resp, c.cassette.put(key, resp)
}

func (c *Cassette) take(key string) (llm.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.answers[key]
	if len(list) == 0 {
		return llm.Response{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: ErrUnknown.Error(), Cause: ErrUnknown}
	}
	n := c.given[key]
	c.given[key]++
	return list[min(n, len(list)-1)], nil
}

func (c *Cassette) put(key string, resp llm.Response) error {
	raw, err := json.Marshal(line{key, resp})
	if err != nil {
		return err
	}
	if len(raw) >= maxLine {
		return fmt.Errorf("an answer of %d bytes is too long for a cassette", len(raw))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(raw, '\n'))
	return err
}

// Key names a request by everything that its answer depends on.
func Key(r llm.Request) (string, error) {
	r.CacheKey = ""
	raw, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Random makes the engine's delimiters of a review the same each time that it is
// done: words name the case, the run and the head.
func Random(words ...any) io.Reader {
	return rand.NewChaCha8(sha256.Sum256([]byte(fmt.Sprintln(words...))))
}
