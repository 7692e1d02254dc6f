package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// MaxAccounts is the most accounts that [AccountFinder.FindAccounts] returns (design choice).
const MaxAccounts = 20

// Account is the account of a person. Login and Name are texts from outside.
type Account struct {
	ID    domain.HostID
	Login string
	Name  string
}

// AccountFinder is implemented by connections whose host shows its accounts to the token. Errors are [*Error]s.
// Methods are safe for concurrent use, and pass the [Gate] with the budget key of [Connection.PermissionOf].
type AccountFinder interface {
	// FindAccounts lists at most [MaxAccounts] accounts of people whose login or name matches a text as the host
	// compares it. It fails with [ClassForbidden] if the host does not show accounts to the token.
	FindAccounts(ctx context.Context, text string) ([]Account, error)
	// AccountOf reads the account of a person. login is the last known login, "" if it is unknown: it saves
	// requests, and the adapter checks that it still belongs to the account. It fails with [ClassNotFound] if the
	// account does not exist, cannot sign in, or is not a person's.
	AccountOf(ctx context.Context, id domain.HostID, login string) (Account, error)
}
