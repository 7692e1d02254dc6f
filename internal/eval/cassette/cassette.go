// Package cassette stores the answers of models, so that a run of the harness can be repeated without a key
// and with the same result.
//
// A cassette is a file of JSON lines: first the routes, then the hash of the request and the answer for
// each call. It does not store requests, because they contain the code of the cases. The engine's
// delimiters are random, so callers must make them deterministic for recording and replay ([Random]).
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
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
)

// Bounds of a cassette (design choices: a run of a thousand cases fits).
const (
	maxLine  = 1 << 20 // bytes of one answer
	maxCalls = 200_000
)

// errUnknown reports that the cassette lacks a request, because its prompts, cases or model differ.
var errUnknown = errors.New("the cassette has no answer to this request; it was recorded with other prompts, cases or models")

// errFull reports that a cassette contains the most calls that can be replayed. The model is not asked.
var errFull = fmt.Errorf("the cassette is full: it holds %d calls; record fewer cases or runs", maxCalls)

// line is a line of the file: the first line has the routes, each other one a call.
type line struct {
	Routes   map[string]route `json:"routes,omitempty"`  // by tier
	Of       string           `json:"of,omitempty"`      // other inputs of the answers, besides the requests
	Request  string           `json:"request,omitempty"` // SHA-256 in hexadecimal
	Response *llm.Response    `json:"response,omitempty"`
}

// route holds the parts of a route that a request depends on.
type route struct {
	Model  string     `json:"model"`
	Effort llm.Effort `json:"effort,omitempty"`
	Tier   string     `json:"tier,omitempty"`
	Output int        `json:"maxOutputTokens,omitempty"`
	Window int        `json:"contextTokens,omitempty"`
}

// Cassette stores answers. It is safe for concurrent use.
type Cassette struct {
	mu       sync.Mutex
	answers  map[string][]llm.Response // answers to equal requests, in the order of recording
	used     map[string]int
	models   *ask.Models
	out      *os.File // nil while replaying
	maxCalls int      // most calls
	calls    int      // recorded calls and calls in progress
	kept     int      // calls from before this recording
	first    line     // of the file; only while recording
}

// Open opens a cassette for replay. of describes the options of the repeated run in words. A cassette with
// other options is refused.
func Open(path, of string) (*Cassette, error) { return open(path, of, maxCalls) }

func open(path, of string, most int) (*Cassette, error) {
	f, err := os.Open(path) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	c := &Cassette{answers: map[string][]llm.Response{}, used: map[string]int{}, maxCalls: most}
	switch routes, _, torn, err := c.read(f, path, of); {
	case err != nil:
		return nil, err
	case torn:
		return nil, fmt.Errorf("the last line of %s was not written to its end: record it again, which goes on there", path)
	default:
		c.models = c.routes(routes)
	}
	return c, nil
}

// read reads the calls of a cassette. It returns the routes at its beginning and the number of bytes in
// complete lines. torn reports an incomplete last line.
func (c *Cassette) read(f io.Reader, path, of string) (routes map[string]route, whole int64, torn bool, err error) {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n, token, err := bufio.ScanLines(data, atEOF)
		if n > 0 && data[n-1] != '\n' {
			torn = true
			return n, nil, err
		}
		whole += int64(n)
		return n, token, err
	})
	for n := 1; lines.Scan(); n++ {
		var l line
		switch err := json.Unmarshal(lines.Bytes(), &l); {
		case err == nil && n == 1 && l.Routes != nil && l.Of != of:
			return nil, 0, false, fmt.Errorf("%s was recorded with other options: %s; name these, or another place", path, l.Of)
		case err == nil && n == 1 && l.Routes != nil:
			routes = l.Routes
		case err != nil || n == 1 || len(l.Request) != 2*sha256.Size || l.Response == nil:
			return nil, 0, false, fmt.Errorf("%s:%d is not of a cassette: first the routes, then calls, objects with request and response", path, n)
		case n-1 > c.maxCalls: // the first line is not a call
			return nil, 0, false, fmt.Errorf("%s has more than %d calls", path, c.maxCalls)
		default:
			c.answers[l.Request] = append(c.answers[l.Request], *l.Response)
			c.calls++
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, 0, false, fmt.Errorf("%s: %w", path, err)
	case routes == nil && torn:
		return nil, 0, false, fmt.Errorf("%s is not of a cassette", path)
	case routes == nil:
		return nil, 0, false, fmt.Errorf("%s is empty", path)
	}
	return routes, whole, torn, nil
}

// routes returns the routes of a cassette for replay.
func (c *Cassette) routes(list map[string]route) *ask.Models {
	of := func(tier string) ask.Route {
		r := list[tier]
		return ask.Route{Client: client{cassette: c}, Model: r.Model, Effort: r.Effort, Tier: r.Tier, MaxOutputTokens: r.Output, Window: r.Window}
	}
	out := &ask.Models{Fast: of("fast"), Standard: of("standard"), Strong: of("strong")}
	if _, has := list[ask.TierPanel]; has {
		out.Panel = of(ask.TierPanel)
	}
	return out
}

// Record records the answers of models, which must exist for all tiers. of describes the options of the
// run, see [Open]. It continues an existing cassette: it does not repeat answered calls, and
// [Cassette.Kept] returns their number. It removes an incomplete last line. A file that is not a cassette,
// or has other options or models, stays unchanged, and the error names the difference. Only one run at a
// time may record into a file.
func Record(path, of string, models *ask.Models) (*Cassette, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	c := &Cassette{answers: map[string][]llm.Response{}, used: map[string]int{}, out: f, maxCalls: maxCalls}
	routes, own := map[string]route{}, *models
	for tier, r := range map[string]*ask.Route{"fast": &own.Fast, "standard": &own.Standard, "strong": &own.Strong,
		ask.TierPanel: &own.Panel} {
		if tier == ask.TierPanel && r.Client == nil {
			continue
		}
		routes[tier] = route{r.Model, r.Effort, r.Tier, r.MaxOutputTokens, r.Window}
		r.Client = client{c, r.Client}
	}
	c.models = &own
	if err := c.writeHeader(path, of, routes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// writeHeader writes the first line of a new cassette, or continues after the last line.
func (c *Cassette) writeHeader(path, of string, routes map[string]route) error {
	c.first = line{Routes: routes, Of: of}
	info, err := c.out.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return c.write(c.first)
	}
	was, whole, torn, err := c.read(c.out, path, of)
	switch {
	case err != nil:
		return err
	case !maps.Equal(was, routes):
		return fmt.Errorf("%s was recorded with other models: %s", path, named(was))
	case torn:
		err = c.out.Truncate(whole)
	}
	c.kept = c.calls
	return err
}

// Renew records like [Record], but asks the models about every request: it empties an existing cassette of the
// same options and models. Any other file is refused and stays unchanged.
func Renew(path, of string, models *ask.Models) (*Cassette, error) {
	c, err := Record(path, of, models)
	if err != nil {
		return nil, err
	}
	clear(c.answers)
	c.calls, c.kept = 0, 0
	if err := errors.Join(c.out.Truncate(0), c.write(c.first)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// named lists the models of routes, each once.
func named(routes map[string]route) string {
	var out []string
	for _, r := range routes {
		out = append(out, strings.TrimSpace(r.Model+" "+string(r.Effort)))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

// Kept returns the number of answers from before a cassette was continued, 0 for a new one.
func (c *Cassette) Kept() int { return c.kept }

// Models returns routes that answer from the cassette, or, while recording, ask the models and store their
// answers. It stores only answers: a failed call is missing in the replay.
func (c *Cassette) Models() *ask.Models { return c.models }

// Close flushes and closes the file.
func (c *Cassette) Close() error {
	if c.out == nil {
		return nil
	}
	return errors.Join(c.out.Sync(), c.out.Close())
}

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
	if resp, there := c.cassette.nextAnswer(key); there {
		return resp, nil
	}
	if err := c.cassette.reserve(); err != nil {
		return llm.Response{}, err
	}
	resp, err := c.model.Complete(ctx, r)
	if err != nil {
		c.cassette.release()
		return resp, err
	}
	return resp, c.cassette.put(key, resp)
}

// reserve takes a slot for an answer, before the call costs money.
func (c *Cassette) reserve() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls >= c.maxCalls {
		return &llm.Error{Class: llm.ClassFinal, ProviderMessage: errFull.Error(), Cause: errFull}
	}
	c.calls++
	return nil
}

func (c *Cassette) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls--
}

func (c *Cassette) take(key string) (llm.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.answers[key]
	if len(list) == 0 {
		return llm.Response{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: errUnknown.Error(), Cause: errUnknown}
	}
	n := c.used[key]
	c.used[key]++
	return list[min(n, len(list)-1)], nil
}

// nextAnswer returns the next answer to a request from a continued cassette.
func (c *Cassette) nextAnswer(key string) (resp llm.Response, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.used[key]
	if n >= len(c.answers[key]) {
		return resp, false
	}
	c.used[key]++
	return c.answers[key][n], true
}

func (c *Cassette) put(key string, resp llm.Response) error {
	return c.write(line{Request: key, Response: &resp})
}

func (c *Cassette) write(l line) error {
	raw, err := json.Marshal(l)
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

// Key returns a hash of everything that the answer to a request depends on.
func Key(r llm.Request) (string, error) {
	r.CacheKey = ""
	raw, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Random returns a source for the engine's delimiters that is the same in every repetition of a review.
// words name the case, the run and the head.
func Random(words ...any) io.Reader {
	return rand.NewChaCha8(sha256.Sum256([]byte(fmt.Sprintln(words...))))
}
