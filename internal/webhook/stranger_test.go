package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/webhook"
)

// counted is a body that counts the bytes read.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// direct calls the handler without a network, to observe what it reads.
func (v *site) direct(ctx context.Context, h http.Header, declared int64, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/webhooks/codehost", io.NopCloser(body))
	r.Header, r.ContentLength = h, declared
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return w
}

func TestNothingIsReadBeforeTheHeadersAreRight(t *testing.T) {
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	drop := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	rows := []struct {
		name     string
		change   func(http.Header)
		declared int64
		status   int
	}{
		{"no event", drop("X-GitHub-Event"), -1, 400},
		{"no delivery id", drop("X-GitHub-Delivery"), -1, 400},
		{"app id that is not a number", set("X-GitHub-Hook-Installation-Target-ID", "x"), -1, 400},
		{"no app named", drop("X-GitHub-Hook-Installation-Target-ID"), -1, 404},
		{"not for an app", set("X-GitHub-Hook-Installation-Target-Type", "repository"), -1, 404},
		{"no signature", drop("X-Hub-Signature-256"), -1, 401},
		{"signature without its prefix", set("X-Hub-Signature-256", strings.Repeat("a", 64)), -1, 401},
		{"signature too short", set("X-Hub-Signature-256", "sha256=00"), -1, 401},
		{"signature that is not hexadecimal", set("X-Hub-Signature-256", "sha256="+strings.Repeat("x", 64)), -1, 401},
	}
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		for _, number := range []string{"", "12345"} { // the same for an unknown app
			for _, c := range rows {
				t.Run(c.name+number, func(t *testing.T) {
					h := header(v.key, "guid", good)
					if number != "" {
						h.Set("X-GitHub-Hook-Installation-Target-ID", number)
					}
					c.change(h)
					body := &counted{Reader: strings.NewReader(good)}
					w := v.direct(bg, h, c.declared, body)
					testkit.Equal(t, "status", w.Code, c.status)
					testkit.Equal(t, "bytes read", body.n.Load(), 0)
				})
			}
		}
	})
}

// An unknown app must not be distinguishable from a wrong signature by the bytes read, and must not
// cost memory.
func TestAnUnknownAppIsReadAsAWrongSignatureIs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		text := strings.Repeat("x", 300_000)
		for name, number := range map[string]string{"known": fmt.Sprint(appNumber), "unknown": "12345"} {
			t.Run(name, func(t *testing.T) {
				h := header("another secret", "guid", text)
				h.Set("X-GitHub-Hook-Installation-Target-ID", number)
				body := &counted{Reader: strings.NewReader(text)}
				v.direct(bg, h, int64(len(text)), body)
				testkit.Equal(t, "bytes read", body.n.Load(), int64(len(text)))
			})
		}
	})
}

// stuck is a body that stops after its first bytes until it may continue.
type stuck struct {
	first   io.Reader
	arrived chan<- struct{}
	goOn    <-chan struct{}
	told    bool
}

func (b *stuck) Read(p []byte) (int, error) {
	if n, err := b.first.Read(p); !errors.Is(err, io.EOF) {
		return n, err
	}
	if !b.told {
		b.told = true
		b.arrived <- struct{}{}
	}
	<-b.goOn
	return 0, io.ErrUnexpectedEOF
}

// The memory for bodies is 8 MiB, 6 MiB of it for bodies beyond 64 KiB. Twenty senders of 1 MiB that
// hold back the end would need 20 MiB.
func TestBodiesUnderWayHaveBoundedMemory(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.MaxBody, c.InFlight = 4<<20, 8<<20 })
		const senders, size = 20, 1 << 20
		arrived, goOn, over := make(chan struct{}, senders), make(chan struct{}), make(chan *httptest.ResponseRecorder, senders)
		for i := range senders {
			go func() {
				h := header("another secret", fmt.Sprint("guid-", i), "")
				over <- v.direct(bg, h, 4<<20, &stuck{first: strings.NewReader(strings.Repeat("x", size)), arrived: arrived, goOn: goOn})
			}()
		}
		held, refused := 0, 0
		for held+refused < senders {
			select {
			case <-arrived:
				held++
			case w := <-over:
				refused++
				testkit.Equal(t, "status", w.Code, http.StatusServiceUnavailable)
				testkit.Equal(t, "retry", w.Header().Get("Retry-After"), "5")
			}
		}
		if held > 6 || held == 0 {
			t.Errorf("%d bodies of 1 MiB are in 6 MiB", held)
		}
		testkit.Equal(t, "an ordinary delivery meanwhile", v.send(v.key, "ordinary", good).status, http.StatusAccepted)
		close(goOn)
		for range held {
			<-over
		}
		large := `{"a":"` + strings.Repeat("x", 3<<20) + `"}`
		testkit.Equal(t, "a large one afterwards", v.send(v.key, "large", large).status, http.StatusAccepted)
	})
}

// More senders of slightly more than 64 KiB hold back the end than ordinary deliveries have places: 40
// senders, and 32 places in 2 of the 8 MiB.
func TestManyLargeBodiesLeaveTheOrdinaryOnesTheirPlace(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.MaxBody, c.InFlight = 4<<20, 8<<20 })
		const senders = 30 // all of them fit while they are ordinary, at 64 KiB each
		arrived, goOn, over := make(chan struct{}, senders), make(chan struct{}), make(chan *httptest.ResponseRecorder, senders)
		for i := range senders {
			go func() {
				over <- v.direct(bg, header("another secret", fmt.Sprint("guid-", i), ""), 4<<20, &stuck{first: strings.NewReader(strings.Repeat("x", 80<<10)), arrived: arrived, goOn: goOn})
			}()
		}
		for range senders {
			select {
			case <-arrived:
			case w := <-over:
				t.Errorf("refused: %d %s", w.Code, w.Body)
			}
		}
		testkit.Equal(t, "an ordinary delivery meanwhile", v.send(v.key, "ordinary", good).status, http.StatusAccepted)
		close(goOn)
	})
}

// A declared length costs nothing before the bytes arrive.
func TestADeclaredLengthTakesNoMemory(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.MaxBody, c.InFlight = 4<<20, 8<<20 })
		const senders = 200 // each declares 4 MiB
		arrived, goOn, over := make(chan struct{}, senders), make(chan struct{}), make(chan *httptest.ResponseRecorder, senders)
		for i := range senders {
			go func() {
				over <- v.direct(bg, header(v.key, fmt.Sprint("guid-", i), ""), 4<<20, &stuck{first: strings.NewReader("{"), arrived: arrived, goOn: goOn})
			}()
		}
		for range senders {
			select {
			case <-arrived:
			case w := <-over:
				t.Fatalf("refused: %d %s", w.Code, w.Body)
			}
		}
		close(goOn)
		for range senders {
			<-over
		}
	})
}

func TestABodyThatComesInPiecesOrEndsEarly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.MaxBody = 200_000 })
		for i, size := range []int{0, 1, 8<<10 - 1, 8 << 10, 8<<10 + 1, 64 << 10, 64<<10 + 1, 199_000} {
			text := `{"a":"` + strings.Repeat("x", size) + `"}`
			for name, declared := range map[string]int64{"declared": int64(len(text)), "chunked": -1} {
				guid := fmt.Sprintf("%s-%d", name, i)
				w := v.direct(bg, header(v.key, guid, text), declared, pieces(text))
				testkit.Equal(t, guid, w.Code, http.StatusAccepted)
				testkit.Equal(t, "stored", string(v.stored(guid)[0].Payload), text)
			}
		}
		w := v.direct(bg, header(v.key, "cut", good), int64(len(good)), io.MultiReader(strings.NewReader(good[:5]), failing{}))
		testkit.Equal(t, "cut", w.Code, http.StatusBadRequest)
	})
}

// pieces hands out a text in pieces of at most 1,000 bytes.
func pieces(text string) io.Reader {
	var all []io.Reader
	for len(text) > 1000 {
		all, text = append(all, strings.NewReader(text[:1000])), text[1000:]
	}
	return io.MultiReader(append(all, strings.NewReader(text))...)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// BenchmarkDelivery answers deliveries of 16 KB: valid ones with all their work, and those of
// strangers.
func BenchmarkDelivery(b *testing.B) {
	text := `{"action":"opened","installation":{"id":1},"text":"` + strings.Repeat("x", 16<<10) + `"}`
	for name, right := range map[string]bool{"good": true, "wrong signature": false} {
		b.Run(name, func(b *testing.B) {
			v := serve(b, storetest.SQLite(b))
			key := "another secret"
			if right {
				key = v.key
			}
			h := header(key, "", text)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h.Set("X-GitHub-Delivery", fmt.Sprint("guid-", i))
				v.direct(bg, h, int64(len(text)), strings.NewReader(text))
				select {
				case <-v.woken:
				default:
				}
			}
		})
	}
}
