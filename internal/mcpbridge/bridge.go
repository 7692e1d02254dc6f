// Package mcpbridge carries messages between a coding assistant, which speaks the Model Context Protocol over
// a pair of streams, and a service that speaks it over HTTP. It adds the token and the version of the
// protocol, and nothing else: the service decides which tools are offered to whom.
package mcpbridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/assay-dev/assay/internal/secret"
)

// Bounds (design choices).
const (
	maxMessage      = 6 << 20  // bytes of a message of the assistant: as many as the service takes
	maxAnswer       = 16 << 20 // bytes of one message of the service
	maxInFlight     = 16       // messages sent at once
	maxWaiting      = 1000     // messages sent or waiting
	maxWaitingBytes = 32 << 20 // bytes of them
)

// Bridge is one session.
type Bridge struct {
	Endpoint string        // address of the service's /mcp
	Client   *http.Client  // without a limit of time: a review takes minutes
	Token    secret.Secret // for the service
	Log      io.Writer     // receives failures of messages without an answer

	mu      sync.Mutex
	out     io.Writer
	version string                        // of the protocol, once the service has named it
	running map[string]context.CancelFunc // by id of the question
}

// envelope holds the parts of a message of either side that are read (JSON-RPC 2.0; MCP 2025-11-25,
// basic/transports).
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
		Name      string          `json:"name"` // of the requested tool or prompt
		URI       string          `json:"uri"`  // of the resource
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result *struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// Run carries messages until the assistant's stream has ended and all its questions are answered, or the
// context ends. Each message is one line (MCP 2025-11-25, basic/transports, "stdio"). A line that is too long
// or not JSON ends the session, because the start of the next message is then unknown.
func (b *Bridge) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	b.out, b.running = out, map[string]context.CancelFunc{}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxMessage)
	room, places, bytesLeft := semaphore.NewWeighted(maxInFlight), semaphore.NewWeighted(maxWaiting), semaphore.NewWeighted(maxWaitingBytes)
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var e envelope
		if line[0] != '{' || json.Unmarshal(line, &e) != nil {
			return errors.New("the assistant sent a line that is not a JSON object")
		}
		if e.Method == "notifications/cancelled" { // the service notices the end of the request
			b.cancel(e.Params.RequestID)
			continue
		}
		// Waiting must not keep the next line from being read, because that line may cancel the waiting call.
		size := int64(len(line))
		if !places.TryAcquire(1) {
			b.failed(e.ID, errTooMany)
			continue
		}
		if !bytesLeft.TryAcquire(size) {
			places.Release(1)
			b.failed(e.ID, errTooMany)
			continue
		}
		message := bytes.Clone(line)
		asked, done := b.begin(ctx, e.ID)
		carry := func() {
			defer places.Release(1)
			defer bytesLeft.Release(size)
			defer done()
			if room.Acquire(asked, 1) != nil { // cancelled
				return
			}
			defer room.Release(1)
			if err := b.carry(asked, e, message); err != nil && asked.Err() == nil {
				b.failed(e.ID, err)
			}
		}
		if e.Method == "initialize" { // later messages need the version
			carry()
			continue
		}
		all.Go(carry)
	}
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("read what the assistant sends: %w", err)
	}
	all.Wait()
	return nil
}

// errTooMany answers a message for which there is no room.
var errTooMany = errors.New("too many questions wait for the service already: ask again when some of them are answered")

// begin registers a question so that it can be cancelled.
func (b *Bridge) begin(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	if len(id) == 0 {
		return ctx, cancel
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[string(id)] = cancel
	return ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.running, string(id))
		cancel()
	}
}

func (b *Bridge) cancel(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop, there := b.running[string(id)]; there {
		stop()
	}
}

// carry sends a message and writes the answer.
func (b *Bridge) carry(ctx context.Context, e envelope, message []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.Endpoint, bytes.NewReader(message))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+b.Token.Reveal())
	b.mu.Lock()
	negotiated := b.version
	b.mu.Unlock()
	e.describe(req.Header, negotiated)
	resp, err := b.Client.Do(req)
	if err != nil {
		return errors.New("the service cannot be reached: " + cause(err))
	}
	defer func() { _ = resp.Body.Close() }() // the rest is not needed
	return b.answers(e, resp)
}

// write sends a message to the assistant as one line.
func (b *Bridge) write(message []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, message); err != nil {
		return errors.New("the service answered with text that is not JSON")
	}
	line.WriteByte('\n')
	var e envelope
	_ = json.Unmarshal(message, &e) // it is JSON; another shape has no version
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Result != nil && e.Result.ProtocolVersion != "" {
		b.version = e.Result.ProtocolVersion
	}
	_, err := b.out.Write(line.Bytes())
	return err
}

// failed answers a question with an error, or logs the error of a message that expects no answer.
func (b *Bridge) failed(id json.RawMessage, why error) {
	if len(id) == 0 || string(id) == "null" {
		b.mu.Lock()
		defer b.mu.Unlock()
		_, _ = fmt.Fprintf(b.Log, "%v\n", why)
		return
	}
	text, _ := json.Marshal(why.Error()) // a string always can be encoded
	// -32000 is the first of the codes that are left to implementations (JSON-RPC 2.0, 5.1).
	// an assistant that is gone needs no answer
	_ = b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, id, text))
}
