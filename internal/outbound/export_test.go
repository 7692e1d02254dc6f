package outbound

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/errs"
)

// CheckURL calls [CheckURL] with the factory's policy for a purpose.
func (f *Factory) CheckURL(ctx context.Context, raw string, purpose Purpose) error {
	return CheckURL(ctx, raw, *(&guard{factory: f, purpose: purpose}).policy())
}

// CheckURL checks whether a URL could be used before it is stored: its form, its scheme, and all current
// addresses of its name. The dial checks again. The error is of kind errs.Invalid and safe to show.
func CheckURL(ctx context.Context, raw string, policy Policy) error {
	_, _, err := policy.resolveURL(ctx, raw)
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return errs.Wrap(err, errs.Invalid, "url_refused", "The URL cannot be used: %s.", refused.Reason)
	}
	return errs.Wrap(err, errs.Invalid, "url_unresolved", "The host name of the URL does not resolve here.")
}
