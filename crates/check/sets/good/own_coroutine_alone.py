from servers.smart_home import set_light


async def main():
    await set_light(device_id="lamp-1", on=True)


main()
print("done")
