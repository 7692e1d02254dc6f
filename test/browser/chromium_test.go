package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// chromium is a browser without a window. It is safe for concurrent use.
type chromium struct {
	process *testkit.Process
	gone    chan struct{} // closed when the browser's output ends

	sending sync.Mutex // held while a command is written
	in      *os.File

	mu   sync.Mutex
	next int
	wait map[int]chan message
	hear map[string]func(message) // by session
}

// message is an answer or a report of the DevTools protocol.
type message struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// kind is one of the programs that tests use as a browser, and the browser of that program that new tests share.
type kind struct {
	names []string // in PATH; the first existing one is used
	mu    sync.Mutex
	c     *chromium
}

var (
	// shell has no window and no push messages, and takes a quarter less processor time.
	shell = &kind{names: append([]string{"chromium-headless-shell"}, whole.names...)}
	whole = &kind{names: []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}}
)

// program finds the browser, or skips the test.
func (k *kind) program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("ASSAY_BROWSER"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			t.Fatalf("ASSAY_BROWSER: %v", err)
		}
		return path
	}
	for _, name := range k.names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser: run `test/install chromium-headless-shell chromium`, or set ASSAY_BROWSER")
	return ""
}

// browser returns the browser that all tests share. It starts one if none is running.
func (k *kind) browser(t testing.TB) *chromium {
	t.Helper()
	path := k.program(t)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.c == nil || k.c.over() {
		k.c = start(t, path)
	}
	return k.c
}

// replace makes later tests use another browser than c, which does not answer. Tests that already use c
// keep it.
func (k *kind) replace(c *chromium) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.c == c {
		k.c = nil
	}
}

// start starts a browser that runs until all tests are over. Background pages are drawn and timed like
// the front page, because tests use pages side by side.
func start(t testing.TB, path string) *chromium {
	t.Helper()
	lasting := testkit.Lasting(t)
	theirIn, ourOut, err := os.Pipe()
	must(t, err)
	ourIn, theirOut, err := os.Pipe()
	must(t, err)
	args := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + lasting.TempDir(), "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-extensions", "--disable-component-update", "--disable-background-networking", "--disable-breakpad", "--disable-crash-reporter", "--hide-scrollbars",
		"--disable-back-forward-cache", "--disable-features=SpareRendererForSitePerProcess", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling", "about:blank"}
	if os.Geteuid() == 0 { // the sandbox refuses to run as root; only our own pages are shown
		args = append([]string{"--no-sandbox"}, args...)
	}
	// Chromium ends at its start if the path of its socket, below its folder for temporary files, has
	// more than 107 bytes.
	short, err := os.MkdirTemp("", "b-")
	must(t, err)
	lasting.Cleanup(func() { _ = os.RemoveAll(short) }) // a few empty files
	// Chromium reads file descriptor 3 and writes to 4 (headless documentation of Chromium,
	// "remote-debugging-pipe").
	p := testkit.Start(lasting, testkit.Command{Path: path, Args: args, Name: "browser", Files: []*os.File{theirIn, theirOut}, Env: map[string]string{"TMPDIR": short}})
	must(t, theirIn.Close())
	must(t, theirOut.Close())
	c := &chromium{process: p, gone: make(chan struct{}), in: ourOut, wait: map[int]chan message{}, hear: map[string]func(message){}}
	go c.read(ourIn)
	lasting.Cleanup(func() { // it writes its profile until it ends; if it were killed, it could write while the folder is removed
		c.call("", "Browser.close", nil)
		select {
		case <-c.gone:
		case <-time.After(patience):
		}
		p.Kill()
		_ = ourOut.Close()
		_ = ourIn.Close()
	})
	return c
}

// over reports whether the browser has ended.
func (c *chromium) over() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

func (c *chromium) read(from *os.File) {
	defer close(c.gone)
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		raw, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		answer, hear := c.wait[m.ID], c.hear[m.SessionID]
		if m.ID != 0 {
			delete(c.wait, m.ID)
		}
		c.mu.Unlock()
		switch {
		case m.ID != 0 && answer != nil:
			answer <- m
		case m.ID == 0 && hear != nil:
			hear(m)
		}
	}
}

// call sends a command and returns a channel for its answer. It does not wait, so it may be called from
// a listener of reports. Other methods must not be, because they would wait for themselves.
func (c *chromium) call(session, method string, params any) <-chan message {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	body := map[string]any{"id": c.next, "method": method}
	c.wait[c.next] = answer
	c.mu.Unlock()
	if params != nil {
		body["params"] = params
	}
	if session != "" {
		body["sessionId"] = session
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // the tests make the parameters
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	_, _ = c.in.Write(append(raw, 0)) // a browser that has ended does not answer, which ends the test
	return answer
}

// listen sets the function that receives the reports of a session, and returns the former one; nil
// ignores them. The function must not wait, because all sessions share the goroutine that calls it.
func (c *chromium) listen(session string, hear func(message)) (before func(message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.hear[session]
	if hear == nil {
		delete(c.hear, session)
	} else {
		c.hear[session] = hear
	}
	return before
}

// errSilent is the error of a browser that does not answer.
var errSilent = errors.New("the browser does not answer")

// ask makes one call, and waits until a time for its answer. It returns an error if the browser reports
// one or does not answer.
func (c *chromium) ask(until time.Time, session, method string, params, into any) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case m := <-c.call(session, method, params):
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(m.Result, into)
	case <-c.gone:
		return fmt.Errorf("%w %s: it has ended, which its output below may explain", errSilent, method)
	case <-timer.C:
		return fmt.Errorf("%w %s", errSilent, method)
	}
}

// patience bounds every wait for a process; it is generous, because the machine
// may be busy.
const patience = 2 * time.Minute

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
