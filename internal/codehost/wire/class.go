package wire

import (
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
)

// ClassOf returns the class that an HTTP status has on every host, for answers that are neither a success
// nor a limit. effect reports that the request was a write. Adapters handle redirects and the host's text.
func ClassOf(status int, effect bool) codehost.Class {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return codehost.ClassNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return codehost.ClassForbidden
	case http.StatusRequestEntityTooLarge:
		return codehost.ClassTooLarge
	}
	switch {
	case status < 500 && status != http.StatusRequestTimeout:
		return codehost.ClassInvalid
	case effect:
		return codehost.ClassAmbiguous
	}
	return codehost.ClassUnavailable
}
