package problem

import (
	"errors"

	"github.com/assay-dev/assay/internal/errs"
)

func asError(err error) (*errs.Error, bool) { return errors.AsType[*errs.Error](err) }
