package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// A run with many readers is read at intervals, once for all. After all have left, the next reader starts
// from the beginning.
func TestALookIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const readers, seconds = 100, 10
		all, target := newWatches(time.Second), watchTarget{"ten", "run"}
		var looks atomic.Int64
		read := func(context.Context) (news, error) { looks.Add(1); return news{id: "a"}, nil }
		var group sync.WaitGroup
		for i := range readers {
			group.Go(func() {
				one := all.join(target, read)
				defer all.part(target)
				time.Sleep(time.Duration(i) * 7 * time.Millisecond) // the bubble's time: readers come one after the other
				for range seconds {
					if _, err := one.look(t.Context()); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Second)
				}
			})
		}
		group.Wait()
		if n := looks.Load(); n < seconds || n > 2*seconds {
			t.Errorf("%d readers of %d s each caused %d reads", readers, seconds, n)
		}
		testkit.Equal(t, "runs that are remembered", len(all.byTarget), 0)
	})
}

// A failed read, or one that its reader gave up, is not reported to the others. A run that is over is not
// read again.
func TestALookThatFails(t *testing.T) {
	all, target := newWatches(time.Hour), watchTarget{"ten", "run"}
	var failure error
	looks := 0
	one := all.join(target, func(context.Context) (news, error) { looks++; return news{id: "a", over: true}, failure })
	failure = io.ErrUnexpectedEOF
	_, err := one.look(t.Context())
	testkit.Equal(t, "the first look", err, failure)
	failure = nil
	for range 3 {
		_, err = one.look(t.Context())
		testkit.OK(t, err)
	}
	testkit.Equal(t, "looks", looks, 2)
	gone, leave := context.WithCancel(t.Context())
	leave()
	one.turn <- struct{}{} // another reader looks for a long time
	_, err = one.look(gone)
	testkit.Equal(t, "a look that is given up", err, context.Canceled)
}

// single is a listener with one connection.
type single struct{ conns chan net.Conn }

func (l single) Accept() (net.Conn, error) {
	c, open := <-l.conns
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (single) Close() error   { return nil }
func (single) Addr() net.Addr { return &net.TCPAddr{} }

// A reader that stops reading loses its stream. The connection of this test does not buffer anything.
func TestAReaderThatStallsLosesItsStream(t *testing.T) {
	s := &server{Options: Options{Streams: Streams{Look: time.Millisecond, Take: 20 * time.Millisecond}.orDefaults()}}
	n := 0
	watched := newWatches(s.Streams.Look).join(watchTarget{}, func(context.Context) (news, error) {
		n++
		return news{id: string(rune('a' + n%20)), data: make([]byte, 100)}, nil
	})
	ended := make(chan error, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		ended <- s.follow(r.Context(), s.beginStream(w), watched, news{}, "", eventProgress, func(context.Context) error { return nil })
	}
	here, there := net.Pipe()
	defer here.Close()
	l := single{make(chan net.Conn, 1)}
	l.conns <- there
	srv := &http.Server{Handler: s.pace(http.HandlerFunc(handler))}
	go func() { _ = srv.Serve(l) }()
	defer func() { close(l.conns); _ = srv.Close() }()
	testkit.OK(t, here.SetDeadline(time.Now().Add(30*time.Second)))
	_, err := io.WriteString(here, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	testkit.OK(t, err)
	line, err := bufio.NewReader(here).ReadString('\n')
	testkit.OK(t, err)
	testkit.Equal(t, "status", line, "HTTP/1.1 200 OK\r\n")
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the stream ended normally")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the stream waits for its reader")
	}
}
