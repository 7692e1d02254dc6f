package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run with many readers is read at intervals, once for all, also while the reads fail. After all have left, the next
// reader starts from the beginning.
func TestStreamsShareReads(t *testing.T) {
	for name, failure := range map[string]error{"reads that succeed": nil, "reads that fail": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const readers, seconds = 100, 10
				all, target := newWatches(), watchTarget{"ten", "run"}
				var reads atomic.Int64
				load := func(context.Context) (news, error) { reads.Add(1); return news{id: "a"}, failure }
				var group sync.WaitGroup
				for i := range readers {
					group.Go(func() {
						shared := all.join(target, time.Second, load)
						defer all.leave(target)
						time.Sleep(time.Duration(i) * 7 * time.Millisecond) // readers come one after the other
						for range seconds {
							if _, err := shared.latest(t.Context()); !errors.Is(err, failure) {
								t.Error(err)
							}
							time.Sleep(time.Second)
						}
					})
				}
				group.Wait()
				if n := reads.Load(); n < seconds || n > 2*seconds {
					t.Errorf("%d readers of %d s each caused %d reads", readers, seconds, n)
				}
				testkit.Equal(t, "watches that are left", len(all.byTarget), 0)
			})
		})
	}
}

// A read that its reader gave up is not reported to the others. A run that has ended is not read again.
func TestAReadThatIsGivenUpConcernsItsReaderOnly(t *testing.T) {
	reads := 0
	shared := newWatches().join(watchTarget{"ten", "run"}, time.Hour, func(ctx context.Context) (news, error) {
		reads++
		return news{id: "a", final: true}, ctx.Err()
	})
	left, leave := context.WithCancel(t.Context())
	leave()
	_, err := shared.latest(left)
	testkit.Equal(t, "a read that is given up", err, context.Canceled)
	before := reads
	for range 3 {
		_, err = shared.latest(t.Context())
		testkit.OK(t, err)
	}
	testkit.Equal(t, "reads", reads-before, 1)
	shared.lock <- struct{}{} // another reader reads for a long time
	_, err = shared.latest(left)
	testkit.Equal(t, "a wait that is given up", err, context.Canceled)
}

// A stream outlives failures of reads and checks for the time of an outage, and repeats its last event meanwhile. It ends at
// once with the permission, and after an outage that goes on.
func TestAStreamOutlivesAnOutage(t *testing.T) {
	lost := &errs.Error{Kind: errs.NotFound}
	for name, tc := range map[string]struct {
		read, check func(second int) error // results after this many seconds
		ends        error
		seconds     int
	}{
		"short outages":             {failing(10, 35, io.ErrUnexpectedEOF), failing(50, 75, io.ErrUnexpectedEOF), context.DeadlineExceeded, 600},
		"a longer outage of reads":  {failing(10, 45, io.ErrUnexpectedEOF), failing(0, 0, nil), io.ErrUnexpectedEOF, 40},
		"a longer outage of checks": {failing(0, 0, nil), failing(15, 600, io.ErrUnexpectedEOF), io.ErrUnexpectedEOF, 50},
		"a lost permission":         {failing(0, 0, nil), failing(15, 600, lost), lost, 20},
		"a run that is gone":        {failing(15, 600, lost), failing(0, 0, nil), lost, 15},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				second := func() int { return int(time.Since(begun).Seconds()) }
				s := &server{Options: Options{Streams: Streams{}.orDefaults()}}
				sub := subscription{event: eventProgress, interval: time.Second,
					load: func(context.Context) (news, error) { return news{id: "b", data: []byte("{}")}, tc.read(second()) }}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				w := httptest.NewRecorder()
				err := s.follow(ctx, s.beginStream(w), newWatches().join(sub.target, sub.interval, sub.load), news{id: "a", data: []byte("{}")}, "",
					sub, func(context.Context) error { return tc.check(second()) })
				testkit.Equal(t, "end", errors.Is(err, tc.ends), true)
				testkit.Equal(t, "seconds", second(), tc.seconds)
				if n := strings.Count(w.Body.String(), "event: progress"); n < tc.seconds/15 {
					t.Errorf("%d events in %d s", n, tc.seconds)
				}
			})
		})
	}
}

// A database that hangs does not silence a stream: its last event is repeated until the outage is over or too long.
func TestAStreamRepeatsItsLastEventWhileReadsHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		s := &server{Options: Options{Streams: Streams{}.orDefaults()}}
		hangs := func(ctx context.Context) error {
			if time.Since(begun) < 5*time.Second {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		state := news{id: "a", data: []byte("{}")}
		sub := subscription{event: eventProgress, interval: time.Second,
			load: func(ctx context.Context) (news, error) { return state, hangs(ctx) }}
		w := httptest.NewRecorder()
		err := s.follow(t.Context(), s.beginStream(w), newWatches().join(sub.target, sub.interval, sub.load), state, "", sub, hangs)
		testkit.Equal(t, "end", errors.Is(err, context.DeadlineExceeded), true)
		if took := time.Since(begun); took < 35*time.Second || took > 60*time.Second {
			t.Errorf("the stream ended after %s", took)
		}
		if n := strings.Count(w.Body.String(), "event: progress"); n < 3 {
			t.Errorf("%d events", n)
		}
	})
}

// failing returns a function that fails from one second until another.
func failing(from, until int, err error) func(second int) error {
	return func(second int) error {
		if second >= from && second < until {
			return err
		}
		return nil
	}
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
	s := &server{Options: Options{Streams: Streams{Take: 20 * time.Millisecond}.orDefaults()}}
	n := 0
	sub := subscription{event: eventProgress, interval: time.Millisecond, load: func(context.Context) (news, error) {
		n++
		return news{id: string(rune('a' + n%20)), data: make([]byte, 100)}, nil
	}}
	watched := newWatches().join(sub.target, sub.interval, sub.load)
	ended := make(chan error, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		ended <- s.follow(r.Context(), s.beginStream(w), watched, news{}, "", sub, func(context.Context) error { return nil })
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
