#!/bin/sh
# Reviews a change in a CI job, or uploads a SARIF file to an assay server.
#
# Usage: assay-ci.sh review|upload
# docs/ci.md describes the variables. The script needs git for a review and curl for an upload.
set -eu

fail() {
	printf 'assay-ci: %s\n' "$1" >&2
	exit 2
}

# need ends the job if a variable is empty.
need() {
	eval "value=\${$1:-}"
	[ -n "$value" ] || fail "$1 is empty: set it as docs/ci.md describes"
}

# matches reports whether a text as a whole matches an extended regular expression.
matches() {
	[ "$(printf '%s\n' "$1" | wc -l)" -eq 1 ] && printf '%s\n' "$1" | grep -Eq "^($2)\$"
}

# is_server reports whether an address is https, or http on this machine.
is_server() {
	matches "$1" 'https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?' ||
		matches "$1" 'http://(localhost|127\.0\.0\.1)(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?'
}

# program prints the path of the assay binary. It downloads the binary if ASSAY_CI_BINARY_URL is set.
program() {
	if [ -z "${ASSAY_CI_BINARY_URL:-}" ]; then
		command -v assay || fail "there is no assay on PATH: install it in the image, or set ASSAY_CI_BINARY_URL and ASSAY_CI_BINARY_SHA256"
		return
	fi
	is_server "$ASSAY_CI_BINARY_URL" || fail "ASSAY_CI_BINARY_URL must begin with https:// and have no query"
	matches "${ASSAY_CI_BINARY_SHA256:-}" '[0-9a-f]{64}' ||
		fail "ASSAY_CI_BINARY_SHA256 must be the SHA-256 of the binary, as 64 hexadecimal digits in lower case"
	curl --silent --show-error --fail --location --proto '=http,https' --proto-redir '=https' --retry 3 --max-time 300 \
		--max-filesize 268435456 --output "$work/assay" "$ASSAY_CI_BINARY_URL" >&2 ||
		fail "the download from ASSAY_CI_BINARY_URL failed: check the address"
	sum=$(sha256sum "$work/assay" | cut -d ' ' -f 1)
	[ "$sum" = "$ASSAY_CI_BINARY_SHA256" ] ||
		fail "the downloaded binary does not have the digest of ASSAY_CI_BINARY_SHA256: it is not run"
	chmod +x "$work/assay"
	printf '%s\n' "$work/assay"
}

# review reviews the commits of a pull request. Its exit status is that of assay review.
review() {
	need ASSAY_CI_BASE_SHA
	need ASSAY_CI_HEAD_SHA
	sha='[0-9a-f]{40}|[0-9a-f]{64}'
	matches "$ASSAY_CI_BASE_SHA" "$sha" || fail "ASSAY_CI_BASE_SHA must be the id of a commit"
	matches "$ASSAY_CI_HEAD_SHA" "$sha" || fail "ASSAY_CI_HEAD_SHA must be the id of a commit"
	assay=$(program)
	set -- review --range "$ASSAY_CI_BASE_SHA..$ASSAY_CI_HEAD_SHA" --trust-owner --quiet \
		--fail-on "${ASSAY_CI_FAIL_ON:-medium}" --format "${ASSAY_CI_FORMAT:-sarif}" --output "${ASSAY_CI_OUTPUT:-assay.sarif}"
	set -f
	separators=$IFS
	newline='
'
	case ${ASSAY_CI_SARIF:-} in *"$newline"*) IFS=$newline ;; esac
	for file in ${ASSAY_CI_SARIF:-}; do
		set -- "$@" "--sarif=$file"
	done
	IFS=$separators
	set +f
	status=0
	"$assay" "$@" || status=$?
	case $status in
	0) printf 'assay-ci: nothing at or above the severity of ASSAY_CI_FAIL_ON\n' ;;
	1) printf 'assay-ci: there are findings at or above the severity of ASSAY_CI_FAIL_ON; they are in the report\n' ;;
	*) printf 'assay-ci: the review could not be done or is incomplete; the lines above and the report say why\n' ;;
	esac
	return "$status"
}

# upload sends a SARIF file to a server. The token is in no argument and in no message.
upload() {
	for name in ASSAY_CI_SERVER ASSAY_CI_TENANT ASSAY_CI_REPOSITORY ASSAY_CI_TOKEN ASSAY_CI_HEAD_SHA ASSAY_CI_SARIF; do
		need "$name"
	done
	is_server "$ASSAY_CI_SERVER" || fail "ASSAY_CI_SERVER must begin with https:// and have no query, because the token goes there"
	matches "$ASSAY_CI_TENANT" '[A-Za-z0-9_-]{1,80}' || fail "ASSAY_CI_TENANT must be the id of a tenant"
	matches "$ASSAY_CI_REPOSITORY" '[A-Za-z0-9_-]{1,80}' || fail "ASSAY_CI_REPOSITORY must be the id of a repository"
	matches "$ASSAY_CI_HEAD_SHA" '[0-9a-f]{40}|[0-9a-f]{64}' || fail "ASSAY_CI_HEAD_SHA must be the id of a commit"
	matches "$ASSAY_CI_TOKEN" '[A-Za-z0-9._~+/=-]{8,400}' || fail "ASSAY_CI_TOKEN is not a token"
	[ -f "$ASSAY_CI_SARIF" ] || fail "ASSAY_CI_SARIF must be a file: the step before it wrote none"
	command -v curl >/dev/null || fail "there is no curl on PATH: install it in the image"
	gzip -c <"$ASSAY_CI_SARIF" >"$work/sarif.gz" || fail "the file of ASSAY_CI_SARIF cannot be compressed: check its permissions, and gzip"
	address="${ASSAY_CI_SERVER%/}/api/tenants/$ASSAY_CI_TENANT/repositories/$ASSAY_CI_REPOSITORY/sast-runs?headSha=$ASSAY_CI_HEAD_SHA"
	status=$(printf 'header = "Authorization: Bearer %s"\n' "$ASSAY_CI_TOKEN" |
		curl --config - --silent --show-error --proto '=http,https' --max-time 120 --retry 5 --retry-connrefused --retry-max-time 300 \
			--header 'Content-Type: application/sarif+json' --data-binary "@$work/sarif.gz" \
			--output "$work/answer" --write-out '%{http_code}' "$address") || true
	case ${status:-000} in
	2??)
		grep -Fq "$ASSAY_CI_HEAD_SHA" "$work/answer" ||
			fail "the address answered, but not as an assay server does, such as with a page for sign-in: check ASSAY_CI_SERVER"
		printf 'assay-ci: the server has the results for the commit\n'
		if grep -Fq 'ended without this document' "$work/answer"; then
			printf 'assay-ci: a review of the commit began before the upload: the next review of the commit uses the results\n'
		fi
		;;
	3??) fail "the server redirects to another address, which does not get the token: set ASSAY_CI_SERVER to the final address" ;;
	401 | 403) fail "the server refused the token: make one with the scope for uploads, and store it as a secret of the CI system" ;;
	404) fail "the server does not know the repository, or the token may not use it: check ASSAY_CI_TENANT and ASSAY_CI_REPOSITORY" ;;
	413) fail "the file is too large for the server: 32 MiB unpacked is the most" ;;
	422) fail "the server cannot read the file: it must be SARIF 2.1.0" ;;
	429) fail "the server has too many uploads: run the job again later" ;;
	000) fail "the server cannot be reached: check ASSAY_CI_SERVER" ;;
	*) fail "the server answered with the status $status: run the job again, or ask its operator" ;;
	esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1:-} in
review) review ;;
upload) upload ;;
*) fail "the first argument must be review or upload" ;;
esac
