package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// noting records the write deadlines of an answer.
type noting struct {
	http.ResponseWriter
	last time.Time
	set  int
}

// SetWriteDeadline implements the method that [http.ResponseController] calls.
func (n *noting) SetWriteDeadline(at time.Time) error {
	n.last = at
	n.set++
	return nil
}

// Every piece of an answer has its own deadline, so that a long answer ends only if its client stops reading.
// A large piece has more time.
func TestEachPieceOfAnAnswerHasADeadline(t *testing.T) {
	w := &noting{ResponseWriter: httptest.NewRecorder()}
	s := &server{}
	var after []time.Duration
	began := time.Now()
	s.pace(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for _, size := range []int{10, 1 << 20} {
			_, _ = rw.Write(make([]byte, size))
			after = append(after, w.last.Sub(began).Truncate(time.Second))
		}
	})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	testkit.Equal(t, "deadlines", w.set, 3) // the header's and two pieces'
	if after[0] < takeTime || after[1] < takeTime+16*time.Second {
		t.Errorf("deadlines after %v", after)
	}
}
