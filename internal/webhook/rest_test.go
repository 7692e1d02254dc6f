package webhook_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A sender that writes its whole body before it reads sees why the delivery is refused, with and without a declared length.
func TestSendersOfTooMuchReadTheAnswer(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		body := strings.Repeat("x", 26<<20)
		for name, message := range map[string]string{
			"declared": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body),
			"chunked":  fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body),
		} {
			address := strings.TrimPrefix(v.url, "http://")
			conn, err := net.Dial("tcp", address)
			testkit.OK(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			var head strings.Builder
			fmt.Fprintf(&head, "POST / HTTP/1.1\r\nHost: %s\r\n", address)
			testkit.OK(t, header(v.key, "guid", "").Write(&head))
			if _, err := conn.Write([]byte(head.String() + message)); err != nil {
				t.Fatalf("%s: the sender could not write its body: %v", name, err)
			}
			got, err := http.ReadResponse(bufio.NewReader(conn), nil)
			testkit.OK(t, err)
			testkit.OK(t, got.Body.Close())
			testkit.Equal(t, name, got.StatusCode, http.StatusRequestEntityTooLarge)
		}
	})
}
