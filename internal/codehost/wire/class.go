package wire

import (
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
)

// ClassOf is the class that a status has on every host, of an answer that is neither
// a success nor a limit; effect says that it answers a write. Redirects, and what a
// host says in the body, are for the adapter.
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
