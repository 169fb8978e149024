# shellcheck shell=bash disable=SC2034,SC2154 # names are for, and from, others
# clickhouse_lib.sh -- ClickHouse servers of a test's own: started on free ports
# of this machine, in its folder, and stopped by their pids.  After lib.sh.

# Debian's lies in sbin.
PATH=$PATH:/usr/sbin
need_tool clickhouse-server
need_tool curl
need_tool sqlite3
unset ORTMETER_STORE ORTMETER_STORE_PASSWORD
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

declare -A server_pid http_port tcp_port

# So many ports that nobody uses now, one a line.
free_ports() { # how many
    python3 -c '
import socket, sys
all = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in all:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])' "$1"
}

# What a server is made of; the cluster `two` is both.
configure() { # name, http port, tcp port, port for other servers
    local dir=$TMPDIR/server_$1
    mkdir -p "$dir"
    cat >"$dir/config.xml" <<END
<yandex>
  <path>$dir/data/</path>
  <tmp_path>$dir/tmp/</tmp_path>
  <user_files_path>$dir/files/</user_files_path>
  <format_schema_path>$dir/schemas/</format_schema_path>
  <logger>
    <level>warning</level>
    <log>$dir/log</log>
    <errorlog>$dir/errors</errorlog>
  </logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>$2</http_port>
  <tcp_port>$3</tcp_port>
  <interserver_http_port>$4</interserver_http_port>
  <mark_cache_size>67108864</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <remote_servers><two>$(for port in ${tcp_port[a]} ${tcp_port[b]}; do
        echo "<shard><internal_replication>true</internal_replication>
          <replica><host>127.0.0.1</host><port>$port</port>
          <user>meter</user><password>secret</password></replica></shard>"
    done)</two></remote_servers>
</yandex>
END
    cat >"$dir/users.xml" <<END
<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><meter>
    <password>secret</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </meter></users>
</yandex>
END
}

answers() { # server
    curl -sf "http://127.0.0.1:${http_port[$1]}/ping" >/dev/null
}

start_server() { # server
    clickhouse-server --config-file="$TMPDIR/server_$1/config.xml" \
        >"$TMPDIR/server_$1/out" 2>&1 &
    server_pid[$1]=$!
    await answers "$1"
}

# As if the machine had lost its power, but for what the disk has.
kill_server() { # server
    kill -KILL "${server_pid[$1]}"
    wait "${server_pid[$1]}" 2>/dev/null || true
}

# The answer of a server to a statement.
ask() { # server, SQL
    curl -sS --fail-with-body "http://127.0.0.1:${http_port[$1]}/?database=m" \
        -H 'X-ClickHouse-User: meter' -H 'X-ClickHouse-Key: secret' \
        --data-binary "$2"
}

make_database() { # server
    curl -sSf "http://127.0.0.1:${http_port[$1]}/" -H 'X-ClickHouse-User: meter' \
        -H 'X-ClickHouse-Key: secret' --data-binary 'CREATE DATABASE m'
}

# Servers a and b, and their addresses as parts of a cluster.
two_shards() {
    local ports
    mapfile -t ports < <(free_ports 6)
    http_port=([a]=${ports[0]} [b]=${ports[1]})
    tcp_port=([a]=${ports[2]} [b]=${ports[3]})
    configure a "${ports[0]}" "${ports[2]}" "${ports[4]}"
    configure b "${ports[1]}" "${ports[3]}" "${ports[5]}"
    start_server a
    start_server b
    make_database a
    make_database b
    export ORTMETER_STORE_PASSWORD=secret
    url_a="clickhouse://meter@127.0.0.1:${http_port[a]}/m?cluster=two"
    url_b="clickhouse://meter@127.0.0.1:${http_port[b]}/m?cluster=two"
}
