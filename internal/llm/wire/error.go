package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/outbound"
)

// transportError turns an exchange without a whole answer into an error. The texts are ours, because those of
// net/http name addresses and may quote input.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return llm.Ended(ctx)
	}
	e := &llm.Error{Class: llm.ClassRetryable, Cause: err}
	var timeout interface{ Timeout() bool }
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		e.Class, e.ProviderMessage = llm.ClassFinal, "The address of the endpoint is not allowed: "+llm.SafeMessage(refused.Error())+"."
		return e
	}
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		e.Class, e.Status, e.ProviderMessage = llm.ClassFinal, redirect.Status, redirectMessage
		return e
	}
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		e.Class, e.ProviderMessage = llm.ClassInvalidResponse, "The answer of the endpoint is larger than allowed."
		if beyond, ok := errors.AsType[*outbound.BoundError](err); ok {
			e.ProviderMessage = "The answer of the endpoint is larger than allowed: " + beyond.Reason + "."
		}
	case errors.Is(err, outbound.ErrIdle), errors.As(err, &timeout) && timeout.Timeout():
		e.ProviderMessage = "The endpoint did not answer in time."
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.ProviderMessage = "The answer of the endpoint broke off."
	default:
		e.ProviderMessage = "The endpoint could not be reached" + connectionHint(err) + "."
	}
	return e
}

// connectionHint explains a failed connection if an administrator can mend the cause; "" otherwise.
func connectionHint(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return ": its host name does not resolve here"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return ": its port takes no connections; nothing may be running there"
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return ": it does not speak https"
	}
	bad, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok {
		return ""
	}
	const start = ": its certificate is not accepted, because "
	if _, ok := errors.AsType[x509.HostnameError](bad); ok {
		return start + "it is for another host name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](bad); ok {
		return start + "its authority is not known here; an operator can add it (ASSAY_OUTBOUND_CA_FILE)"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](bad); ok && invalid.Reason == x509.Expired {
		return start + "it has expired, or is not valid yet"
	}
	return start + "it is not valid"
}

// redirectMessage explains an answer with a redirect.
const redirectMessage = "The endpoint answered with a redirect, which is not followed. Check the base URL."
