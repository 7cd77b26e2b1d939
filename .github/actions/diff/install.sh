#!/usr/bin/env bash
# Puts mcpgen into $RUNNER_TEMP/mcpgen-bin: the program of a release, whose checksum is checked, or one
# built from the source of this action if there is no such release. A program with another checksum is
# an error. The environment is that of action.yml.
set -euo pipefail

bin=$RUNNER_TEMP/mcpgen-bin
mkdir -p "$bin"
version=${VERSION:-}
if [ -z "$version" ] && [[ "${ACTION_REF:-}" =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
	version=$ACTION_REF # the action is that of a release
fi

# download fetches a file of the release, and fails if there is none.
download() {
	curl --fail --silent --show-error --location --retry 3 --proto "=${RELEASES%%:*}" --proto-redir =https --output "$2" "$RELEASES/$version/$1"
}

# check compares the checksum of a file with the one that is expected.
check() {
	local found
	if command -v sha256sum >/dev/null; then
		found=$(sha256sum "$1")
	else
		found=$(shasum -a 256 "$1")
	fi
	if [ "${found%% *}" != "$2" ]; then
		echo "::error title=mcpgen::$RELEASES/$version/$(basename "$1") has the checksum ${found%% *}, expected $2"
		exit 1
	fi
}

if [ -n "$version" ]; then
	os=$(uname -s | tr '[:upper:]' '[:lower:]')
	case $os in mingw* | msys* | cygwin*) os=windows ;; esac
	arch=$(uname -m)
	case $arch in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; esac
	file=mcpgen-$os-$arch
	[ "$os" != windows ] || file=$file.exe
	temp=$(mktemp -d)
	if download "$file" "$temp/$file" && download checksums.txt "$temp/checksums.txt"; then
		check "$temp/$file" "${CHECKSUM:-$(awk -v file="$file" '$2 == file || $2 == "*" file { print $1 }' "$temp/checksums.txt")}"
		mv "$temp/$file" "$bin/mcpgen${file#"mcpgen-$os-$arch"}"
		chmod +x "$bin"/mcpgen*
		exit 0
	fi
	echo "::notice title=mcpgen::there is no release $version for $os-$arch; building from source"
fi
go build -C "$(dirname "${BASH_SOURCE[0]}")/../../.." -o "$bin/mcpgen$(go env GOEXE)" ./cmd/mcpgen
