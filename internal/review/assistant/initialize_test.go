package assistant_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/assay-dev/assay/internal/review/assistant"
	"github.com/assay-dev/assay/internal/testkit"
)

// wire sends lines to a session, and reads the answers.
type wire struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func connect(t *testing.T) wire {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	dir := checkout(t, nil)
	go func() {
		done <- assistant.Serve(t.Context(), fromClient, toClient, assistant.Options{Dir: dir, Version: "1.2.3"})
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("the end of a session: %v", err)
		}
	})
	return wire{t, toServer, bufio.NewReader(fromServer)}
}

// ask makes one request, and returns its result; the answer must not be an error.
func (w wire) ask(id int, method, params string) (result struct {
	ProtocolVersion string
	ServerInfo      struct{ Name, Version string }
	Capabilities    struct{ Tools, Prompts *struct{} }
	Tools           []struct{ Name string }
}) {
	w.t.Helper()
	w.say(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	line, err := w.out.ReadBytes('\n')
	testkit.OK(w.t, err)
	var got struct {
		ID     int
		Error  json.RawMessage
		Result json.RawMessage
	}
	testkit.OK(w.t, json.Unmarshal(line, &got))
	if got.ID != id || got.Error != nil {
		w.t.Fatalf("%s, request %d: %s", method, id, line)
	}
	testkit.OK(w.t, json.Unmarshal(got.Result, &result))
	return result
}

func (w wire) say(format string, args ...any) {
	w.t.Helper()
	_, err := fmt.Fprintf(w.in, format+"\n", args...)
	testkit.OK(w.t, err)
}

const (
	discovered = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"late","version":"1"}}}`
	initialized = `{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"late","version":"1"}}`
)

// A client that does not wait for the answer to server/discover, and one that connects once more.
func TestInitializeAfterTheSessionIsKnown(t *testing.T) {
	for _, c := range []struct{ first, params string }{
		{"server/discover", discovered},
		{"initialize", fmt.Sprintf(initialized, "2025-06-18")},
	} {
		t.Run(c.first, func(t *testing.T) {
			w := connect(t)
			w.ask(1, c.first, c.params)
			for i, asked := range []struct{ version, answered string }{
				{"2025-06-18", "2025-06-18"},
				{"2025-11-25", "2025-11-25"},
				{"2026-07-28", "2025-11-25"}, // has no initialize
				{"1999-01-01", "2025-11-25"},
			} {
				got := w.ask(10+i, "initialize", fmt.Sprintf(initialized, asked.version))
				if got.ProtocolVersion != asked.answered || got.ServerInfo.Version != "1.2.3" ||
					got.Capabilities.Tools == nil || got.Capabilities.Prompts == nil {
					t.Errorf("initialize with version %s: %+v", asked.version, got)
				}
				w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				if got := w.ask(20+i, "tools/list", `{}`); len(got.Tools) != 3 {
					t.Errorf("tools after initialize with version %s: %+v", asked.version, got.Tools)
				}
			}
		})
	}
}
