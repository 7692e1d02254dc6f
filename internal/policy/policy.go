// Package policy reads a tenant's settings and computes the review policy of a repository from the
// product's defaults, the tenant's defaults and locks, and the repository's settings.
//
// Code that shows a setting and code that acts on it both read it here. The package also stores
// repositories that appear, because the tenant's choice for new repositories is part of the policy. It does
// not change settings and does not act on a policy.
package policy
