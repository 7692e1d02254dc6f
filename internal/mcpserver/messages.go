package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/errs"
)

// message holds the parts of a message that decide its handling.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// call reports whether a message expects an answer.
func (m message) call() bool { return len(m.ID) > 0 }

// batch holds the messages of a request, and the size of its body.
type batch struct {
	all  []message
	size int64 // bytes of the body
}

func (s batch) calls() (n int) {
	for _, m := range s.all {
		if m.call() {
			n++
		}
	}
	return n
}

// read reads the body of a request, checks its form, and puts it back. It marks each call of a batch with its
// place, so that calls with the same id can be told apart later.
func read(r *http.Request) (batch, error) {
	accepts := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	for _, kind := range []string{"application/json", "text/event-stream"} {
		if !strings.Contains(accepts, kind) && !strings.Contains(accepts, "*/*") &&
			!strings.Contains(accepts, kind[:strings.Index(kind, "/")]+"/*") {
			return batch{}, errs.New(errs.Malformed, "not_acceptable", "The header Accept must name both application/json and text/event-stream.")
		}
	}
	if v := r.Header.Get(versionHeader); v != "" && v < handshakeFreeVersion && !isSupported(v) {
		return batch{}, errs.New(errs.Malformed, "unsupported_protocol_version", "%s", unsupportedVersions())
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			return batch{}, errs.New(errs.TooLarge, "too_large", "The body is larger than this route allows.")
		}
		return batch{}, errs.Wrap(err, errs.Malformed, "unreadable_body", "The body did not arrive whole.")
	}
	all, body, err := messages(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return batch{all, int64(len(body))}, err
}

func isSupported(version string) bool {
	return slices.Contains(mcp.SupportedProtocolVersions(), version)
}

// unsupportedVersions returns the error text that lists the supported versions.
func unsupportedVersions() string {
	return "The header " + versionHeader + " names a version that is not spoken here. Spoken are " +
		strings.Join(mcp.SupportedProtocolVersions(), ", ") + "."
}

// refuseVersion answers a call of a version newer than the supported ones, so that its client chooses another one
// (MCP 2026-07-28, basic/lifecycle). It ignores everything else in the call, because the rules of such a
// version are unknown.
func refuseVersion(w http.ResponseWriter, version string, call message) error {
	batch := mcp.UnsupportedProtocolVersionData{Supported: mcp.SupportedProtocolVersions()}
	if len(version) == len(handshakeFreeVersion) && strings.Trim(version, "0123456789-") == "" {
		batch.Requested = version
	}
	data, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID,
		"error": map[string]any{"code": mcp.CodeUnsupportedProtocolVersion, "message": unsupportedVersions(), "data": json.RawMessage(data)}})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, err = w.Write(answer)
	return err
}

// messages returns the messages of a body, one or a batch, and the body with the marks of a batch.
func messages(body []byte) ([]message, []byte, error) {
	if err := checkNesting(body); err != nil {
		return nil, nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		var m message
		if json.Unmarshal(body, &m) != nil || m.Method == "" {
			return nil, nil, malformed()
		}
		return []message{m}, body, nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(body, &raw) != nil {
		return nil, nil, malformed()
	}
	if len(raw) == 0 || len(raw) > maxMessages {
		return nil, nil, errs.New(errs.Malformed, "batch_size", "A batch has 1 to %d messages.", maxMessages)
	}
	all := make([]message, len(raw))
	ids, calls := map[string]bool{}, 0
	for i := range raw {
		m := &all[i]
		if json.Unmarshal(raw[i], m) != nil || m.Method == "" {
			return nil, nil, malformed()
		}
		if !m.call() {
			continue
		}
		if calls++; calls > MaxAtOnce {
			return nil, nil, errs.New(errs.Malformed, "batch_size", "A batch has at most %d requests.", MaxAtOnce)
		}
		if id := key(m.ID); ids[id] {
			return nil, nil, errs.New(errs.Malformed, "malformed_message", "The requests of a batch must have ids that differ.")
		}
		ids[key(m.ID)] = true
		raw[i] = withPlace(raw[i], i)
	}
	body, err := json.Marshal(raw)
	if err != nil {
		return nil, nil, malformed()
	}
	return all, body, nil
}

// mark is the name in a message's _meta that holds its place in the batch. It overwrites a client's value.
const mark = "assay.dev/place"

// withPlace returns a call with its place in the batch. A call whose _meta is not an object stays unchanged and
// is refused later.
func withPlace(raw json.RawMessage, place int) json.RawMessage {
	var whole, params, meta map[string]json.RawMessage
	if json.Unmarshal(raw, &whole) != nil || whole["params"] != nil && json.Unmarshal(whole["params"], &params) != nil ||
		params["_meta"] != nil && json.Unmarshal(params["_meta"], &meta) != nil {
		return raw
	}
	put := func(into *map[string]json.RawMessage, name string, value any) error {
		text, err := json.Marshal(value)
		if *into == nil {
			*into = map[string]json.RawMessage{}
		}
		(*into)[name] = text
		return err
	}
	if put(&meta, mark, place) != nil || put(&params, "_meta", meta) != nil || put(&whole, "params", params) != nil {
		return raw
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return raw
	}
	return out
}

// key returns an id in a form that is equal for ids that the protocol's library takes as equal.
func key(id json.RawMessage) string {
	var v any
	_ = json.Unmarshal(id, &v) // text that is not JSON was refused before
	if n, is := v.(float64); is {
		v = int64(n)
	}
	return fmt.Sprintf("%T %v", v, v)
}

func malformed() error {
	return errs.New(errs.Malformed, "malformed_message", "The body must be a JSON-RPC 2.0 request or notification of the Model "+
		"Context Protocol.")
}

// checkNesting refuses text that is not JSON or is nested too deeply, without building values from it.
func checkNesting(body []byte) error {
	depth := 0
	for d := json.NewDecoder(bytes.NewReader(body)); ; {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return malformed()
		case t == json.Delim('{') || t == json.Delim('['):
			depth++
		case t == json.Delim('}') || t == json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return malformed()
		}
	}
}
