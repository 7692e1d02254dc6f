package app

import (
	"context"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/instance"
)

// signOff returns a function that reads the instance's legal sign-off for the assignment of reviewers.
func signOff(s *instance.Service) func(context.Context) (assign.SignOff, error) {
	return func(ctx context.Context) (assign.SignOff, error) {
		v, err := s.LegalSignOff(ctx)
		return assign.SignOff{SignedOff: v.SignedOff, DataUses: v.DataUses}, err
	}
}

// pushHosts returns a function that reads the push services in the instance's settings.
func pushHosts(s *instance.Service) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		v, err := s.Settings(ctx)
		return v.PushServiceHosts, err
	}
}
