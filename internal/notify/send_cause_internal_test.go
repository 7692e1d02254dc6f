package notify

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A test of a channel that fails says why, and never where the message should have gone.
func TestCausesOfFailedMessages(t *testing.T) {
	t.Parallel()
	const secretPath = "https://chat.example.com/hooks/s3cret"
	for want, cause := range map[string]error{
		"the receiver could not be reached: its host name is unknown":                &net.DNSError{Err: "no such host", Name: secretPath, IsNotFound: true},
		"the receiver could not be reached: nothing accepts connections at its port": syscall.ECONNREFUSED,
		"the receiver could not be reached: its certificate is not trusted here":     &tls.CertificateVerificationError{Err: errors.New(secretPath)},
		"the receiver could not be reached: it does not speak TLS at this port":      tls.RecordHeaderError{Msg: secretPath},
		"the receiver could not be reached":                                          errors.New(secretPath),
	} {
		o := failed(fmt.Errorf("post %s: %w", secretPath, cause))
		testkit.Equal(t, "reason", o.Reason, want)
		testkit.Equal(t, "the reason has the address", strings.Contains(o.Reason, "s3cret"), false)
		testkit.Equal(t, "it is tried again", o.Retry, true)
	}
}
