package mcpbridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// errNoAnswer answers a question that the service accepted but did not answer, because the assistant would
// otherwise wait for ever.
var errNoAnswer = errors.New("the service ended the connection without an answer to this request: ask again, and if that does " +
	"not help, ask the operator of the service")

// answers writes the messages of the service's answer, one or a stream. A returned error is the answer to a
// question that got no other one.
func (b *Bridge) answers(e envelope, resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // an unreadable type counts as no type
	asks := len(e.ID) > 0 && e.Method != ""                            // a reply to the service has no answer itself
	switch {
	case resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent:
		if asks {
			return errNoAnswer
		}
		return nil
	case resp.StatusCode == http.StatusOK && kind == "text/event-stream":
		answered, err := b.events(e.ID, resp.Body)
		switch {
		case answered: // the rest of the stream is not awaited
			return nil
		case err == nil && asks:
			return errNoAnswer
		}
		return err
	case resp.StatusCode != http.StatusOK && kind != "application/json":
		return refusal(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return errors.New("the answer of the service broke off")
	case len(body) > maxAnswer:
		return fmt.Errorf("the answer of the service has more than %d MiB", maxAnswer>>20)
	}
	var r reply
	_ = json.Unmarshal(body, &r) // JSON of another shape is not a message
	if r.JSONRPC == "" || resp.StatusCode != http.StatusOK && !sameID(r.ID, e.ID) {
		return refusal(resp)
	}
	if err := b.write(body); err != nil {
		return err
	}
	if asks && !r.isReplyTo(e.ID) {
		return errNoAnswer
	}
	return nil
}

// reply holds the parts of a service's message that are read.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
}

// isReplyTo reports whether a message answers a question.
func (r reply) isReplyTo(id json.RawMessage) bool { return r.Method == "" && sameID(r.ID, id) }

// sameID reports whether two ids are equal as JSON values, however they are written.
func sameID(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// events writes the messages of a stream of events (WHATWG HTML, 9.2.6), from the events' data only. It
// reports whether one of them answers the question.
func (b *Bridge) events(id json.RawMessage, from io.Reader) (answered bool, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxAnswer)
	var data bytes.Buffer
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if data.Len() > 0 {
				var r reply
				_ = json.Unmarshal(data.Bytes(), &r) // text that is not JSON is not written
				if err := b.write(data.Bytes()); err != nil {
					return answered, err
				}
				answered = answered || r.isReplyTo(id)
			}
			data.Reset()
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		if data.Len()+len(value) > maxAnswer {
			return answered, fmt.Errorf("an event of the service has more than %d MiB", maxAnswer>>20)
		}
		if data.Len() > 0 {
			data.WriteByte('\n')
		}
		data.Write(bytes.TrimPrefix(value, []byte(" ")))
	}
	if err := lines.Err(); err != nil {
		return answered, errors.New("the answer of the service broke off, or is too large")
	}
	return answered, nil
}

// refusal explains why the service did not answer and how to mend it.
func refusal(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return errors.New("the service refuses the token: it is wrong, has ended or was revoked, or the endpoint is off for the " +
			"tenant. Make a new one in the console, under Settings, API & MCP access")
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return errors.New("there is no /mcp at this address: --server takes the address of the service, such as https://assay.example.com")
	case http.StatusTooManyRequests:
		wait := ""
		if after := resp.Header.Get("Retry-After"); after != "" && len(after) < 10 && strings.Trim(after, "0123456789") == "" {
			wait = " in " + after + " seconds"
		}
		return errors.New("the service has had too many requests of this token: try again" + wait)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return errors.New("the service sends to another address, which is not followed with a token: give that address to --server")
	}
	return fmt.Errorf("the service answers with status %d", resp.StatusCode)
}

// cause returns the reason of a failed request, without its address.
func cause(err error) string {
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err
	}
	return clip.Runes(err.Error(), 300, "…")
}
