package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// chromium is a browser without a window. Its methods may be called from one
// goroutine; what it reports comes on another.
type chromium struct {
	t    *testing.T
	in   *os.File
	mu   sync.Mutex
	next int
	wait map[int]chan message
	hear map[string]func(message) // by session
	ends time.Time                // of every wait
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

// program finds a browser, or skips the test.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("ASSAY_BROWSER"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			t.Fatalf("ASSAY_BROWSER: %v", err)
		}
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser is installed: test/install chromium installs one, ASSAY_BROWSER names another")
	return ""
}

// launch starts a browser that dies with the test, with a profile of its own. Now and
// then one hangs while it starts beside others: then it is another one's turn.
func launch(t *testing.T) *chromium {
	t.Helper()
	path := program(t)
	for range 3 {
		c, p := start(t, path)
		select {
		case <-c.call("", "Browser.getVersion", nil):
			return c
		case <-time.After(patience):
			t.Log("the browser does not start; another one is tried")
			p.Signal(syscall.SIGKILL)
		}
	}
	t.Fatal("no browser starts")
	return nil
}

// start starts a browser.
func start(t *testing.T, path string) (*chromium, *testkit.Process) {
	t.Helper()
	theirIn, ourOut, err := os.Pipe()
	must(t, err)
	ourIn, theirOut, err := os.Pipe()
	must(t, err)
	args := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-extensions", "--disable-component-update", "--disable-background-networking", "--disable-breakpad", "--disable-crash-reporter", "--hide-scrollbars", "about:blank"}
	if os.Geteuid() == 0 { // its sandbox refuses to run as root; only our own pages are shown
		args = append([]string{"--no-sandbox"}, args...)
	}
	// It reads file descriptor 3 and writes to 4 (headless documentation of Chromium, "remote-debugging-pipe").
	p := testkit.Start(t, testkit.Command{Path: path, Args: args, Name: "browser", Files: []*os.File{theirIn, theirOut}})
	must(t, theirIn.Close())
	must(t, theirOut.Close())
	c := &chromium{t: t, in: ourOut, wait: map[int]chan message{}, hear: map[string]func(message){}, ends: time.Now().Add(limit)}
	go c.read(ourIn)
	t.Cleanup(func() { // it writes its profile until it ends; killed, it would do so while the folder goes
		c.call("", "Browser.close", nil)
		p.Wait(10 * time.Second)
		_ = ourOut.Close()
		_ = ourIn.Close()
	})
	return c, p
}

func (c *chromium) read(from *os.File) {
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

// call sends a command and does not wait: what is answered comes out of the channel. It may be
// called where reports are heard too, which no other method may be: they would wait for themselves.
func (c *chromium) call(session, method string, params any) <-chan message {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	body := map[string]any{"id": c.next, "method": method}
	if params != nil {
		body["params"] = params
	}
	if session != "" {
		body["sessionId"] = session
	}
	raw, err := json.Marshal(body)
	must(c.t, err)
	answer := make(chan message, 1)
	c.wait[c.next] = answer
	_, _ = c.in.Write(append(raw, 0)) // a browser that has ended does not answer, which ends the test
	return answer
}

// limit bounds the whole life of a browser, so that these stay tests that people run;
// the machine may be busy.
const limit = 5 * time.Minute

// patience bounds every wait for a process; it is generous, because the machine
// may be busy.
const patience = 30 * time.Second

// try does one call; an error is what the browser says against it. It waits longer than the waits
// for what a page shows, which say what has not come.
func (c *chromium) try(session, method string, params, into any) error {
	c.t.Helper()
	timer := time.NewTimer(time.Until(c.ends) + patience)
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
	case <-timer.C:
		c.t.Fatalf("the browser has not answered %s, %v after it was started", method, limit+patience)
		return nil
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
