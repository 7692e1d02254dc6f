// Package cassette keeps the answers of models, so that a run of the harness can
// be done again without a key, by anybody, with the same result.
//
// A cassette is a file of JSON lines: the routes, then for each call the hash of
// the request and the answer. Requests are not kept, because they hold the code of the cases.
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

// errUnknown says that a request is not on the cassette: the prompts, the cases
// or the model are not those that it was recorded with.
var errUnknown = errors.New("the cassette has no answer to this request; it was recorded with other prompts, cases or models")

// errFull says that a cassette has as many calls as it may be replayed with: the
// model is not asked.
var errFull = fmt.Errorf("the cassette is full: it holds %d calls; record fewer cases or runs", maxCalls)

// line is a line of the file: the first one holds the routes, the others a call.
type line struct {
	Routes   map[string]route `json:"routes,omitempty"`  // by tier
	Of       string           `json:"of,omitempty"`      // what the answers depend on beside the requests
	Request  string           `json:"request,omitempty"` // SHA-256 in hexadecimal
	Response *llm.Response    `json:"response,omitempty"`
}

// route is what of a route a request depends on.
type route struct {
	Model  string     `json:"model"`
	Effort llm.Effort `json:"effort,omitempty"`
	Tier   string     `json:"tier,omitempty"`
	Output int        `json:"maxOutputTokens,omitempty"`
	Window int        `json:"contextTokens,omitempty"`
}

// Cassette holds answers. It is safe for concurrent use.
type Cassette struct {
	mu      sync.Mutex
	answers map[string][]llm.Response // in the order they were given, for equal requests
	given   map[string]int
	models  *ask.Models
	out     *os.File // nil: only replayed
	most    int      // calls that it may hold
	calls   int      // recorded ones, and those that are asked now
	kept    int      // that were there before
}

// Open reads a cassette to replay. of are the options of the run that is to be done
// again, in words: a cassette of others is refused.
func Open(path, of string) (*Cassette, error) { return open(path, of, maxCalls) }

func open(path, of string, most int) (*Cassette, error) {
	f, err := os.Open(path) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	c := &Cassette{answers: map[string][]llm.Response{}, given: map[string]int{}, most: most}
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

// read takes in the calls of a cassette, and returns the routes that it begins with
// and how many bytes its lines have. torn says that something without the end of a
// line follows.
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
			return nil, 0, false, fmt.Errorf("%s was recorded with other options: %s", path, l.Of)
		case err == nil && n == 1 && l.Routes != nil:
			routes = l.Routes
		case err != nil || n == 1 || len(l.Request) != 2*sha256.Size || l.Response == nil:
			return nil, 0, false, fmt.Errorf("%s:%d is not of a cassette: first the routes, then calls, objects with request and response", path, n)
		case n-1 > c.most: // the first line is no call
			return nil, 0, false, fmt.Errorf("%s has more than %d calls", path, c.most)
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

// routes are those of a cassette that is replayed.
func (c *Cassette) routes(list map[string]route) *ask.Models {
	of := func(tier string) ask.Route {
		r := list[tier]
		return ask.Route{Client: client{cassette: c}, Model: r.Model, Effort: r.Effort, Tier: r.Tier, MaxOutputTokens: r.Output, Window: r.Window}
	}
	return &ask.Models{Fast: of("fast"), Standard: of("standard"), Strong: of("strong")}
}

// Record makes a cassette of what models answer, who must be there for all tiers. of
// are the options of the run, in words, see [Open]. One that is there already is
// continued: what it has an answer to is not asked again, and [Cassette.Kept] says
// how many those are. A last line that was not written to its end is taken away. A
// file that is no cassette, or one of other options or models, is left alone, and the
// error says what it is. One run at a time may record on a file.
func Record(path, of string, models *ask.Models) (*Cassette, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600) //nolint:gosec // named by who measures
	if err != nil {
		return nil, err
	}
	c := &Cassette{answers: map[string][]llm.Response{}, given: map[string]int{}, out: f, most: maxCalls}
	routes, own := map[string]route{}, *models
	for tier, r := range map[string]*ask.Route{"fast": &own.Fast, "standard": &own.Standard, "strong": &own.Strong} {
		routes[tier] = route{r.Model, r.Effort, r.Tier, r.MaxOutputTokens, r.Window}
		r.Client = client{c, r.Client}
	}
	c.models = &own
	if err := c.begin(path, of, routes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// begin writes the first line of a new cassette, or goes on behind the last one.
func (c *Cassette) begin(path, of string, routes map[string]route) error {
	info, err := c.out.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return c.write(line{Routes: routes, Of: of})
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

// named lists the models of routes, each once.
func named(routes map[string]route) string {
	var out []string
	for _, r := range routes {
		out = append(out, strings.TrimSpace(r.Model+" "+string(r.Effort)))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

// Kept is how many answers a cassette held before it was continued, 0 for a new one.
func (c *Cassette) Kept() int { return c.kept }

// Models are the routes whose calls are answered from the cassette, or asked and
// kept where it records. Only answers are kept: a call that failed has none where
// it is replayed.
func (c *Cassette) Models() *ask.Models { return c.models }

// Close writes the file out.
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
	key, err := keyOf(r)
	if err != nil {
		return llm.Response{}, err
	}
	if c.cassette.out == nil {
		return c.cassette.take(key)
	}
	if resp, there := c.cassette.again(key); there {
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

// reserve keeps a place for an answer, before it is paid for.
func (c *Cassette) reserve() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls >= c.most {
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
	n := c.given[key]
	c.given[key]++
	return list[min(n, len(list)-1)], nil
}

// again is the next answer to a request that a continued cassette has.
func (c *Cassette) again(key string) (resp llm.Response, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.given[key]
	if n >= len(c.answers[key]) {
		return resp, false
	}
	c.given[key]++
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

// keyOf names a request by everything that its answer depends on.
func keyOf(r llm.Request) (string, error) {
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
